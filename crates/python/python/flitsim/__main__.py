"""The command `flitsim`."""

import os
import signal
import sys
import sysconfig

from . import _flitsim


def main() -> None:
    """Runs the command with the words that the process was given."""
    # The command has a handler of its own, and until then Ctrl-C ends it, as everywhere.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # By this path scripts call it again: what runs here is the interpreter.
    program = os.path.join(sysconfig.get_path("scripts"), "flitsim")
    sys.exit(_flitsim.main([program, *sys.argv[1:]]))


if __name__ == "__main__":
    main()
