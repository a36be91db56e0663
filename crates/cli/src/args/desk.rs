//! The arguments of commands around scenarios and the program itself: the schema, starters, shell
//! completions, manual pages.

use clap::Args;
use clap_complete::Shell;
use std::path::PathBuf;

/// `flitsim new`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim new torus
  flitsim new mesh -o mesh.toml
  flitsim new express-cube:radix=16,dimensions=2,interval=4 -o cube.toml
  flitsim new file -o mine.toml

A starter says everything that one usually changes, each key with a comment: it runs as it stands,
its routing is proved free of deadlock, and its loads suit the network. It is printed, or with -o
written to a file, never over one that is there. `flitsim new file` writes an example of a channel
list, network.csv, beside it.

Kinds: torus, mesh, hypercube, express-cube, butterfly-fat-tree, fat-pyramid, star, pruned-torus,
manhattan-torus, pruned-manhattan-torus, file.")]
pub struct NewArguments {
    /// A kind of network, or a topology in one word
    #[arg(value_name = "KIND_OR_SPEC")]
    pub network: String,
    /// The file to write; without it the scenario is printed
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `flitsim schema`.
#[derive(Clone, Copy, Debug, Args)]
#[command(after_help = "Examples:
  flitsim schema
  flitsim schema > scenario.schema.json

With the schema in a file, the first line `#:schema scenario.schema.json` of a scenario makes editors
that know TOML (Taplo, Even Better TOML, Tombi) complete keys, show what they mean, and underline what
is wrong. The schema holds every key with its meaning, unit, default, words and range, and which go
together; what depends on the network at hand, `flitsim run` and `flitsim verify` tell.")]
pub struct SchemaArguments {}

/// `flitsim completions`.
#[derive(Clone, Copy, Debug, Args)]
#[command(after_help = "Examples:
  flitsim completions bash > ~/.local/share/bash-completion/completions/flitsim
  flitsim completions zsh > ~/.zfunc/_flitsim
  flitsim completions fish > ~/.config/fish/completions/flitsim.fish

For zsh, ~/.zfunc must be in fpath before compinit runs. Start a new shell afterwards.")]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// `flitsim man`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  flitsim man > flitsim.1
  flitsim man sweep > flitsim-sweep.1
  flitsim man sweep | man -l -

Prints roff: of the program, or of one of its commands.")]
pub struct ManArguments {
    /// A command; without one, the page of the program
    pub command: Option<String>,
}
