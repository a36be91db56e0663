#!/usr/bin/env bash
# How much of the time on one core a sweep of 40 points takes on two: the same sweep with --jobs 1 and
# --jobs 2 in turn, twice, the better of each. Prints wall-clock seconds, processor seconds and the ratio.
#
#   benches/scaling.sh            # fails where the ratio is above 0.6
#
# Other work on the machine spoils it: a run of two jobs that gets fewer than 1.6 processors is not
# judged, and the script says so.
set -euo pipefail
cd "$(dirname "$0")/.."

cores=$(nproc)
if [ "$cores" -lt 2 ]; then
  echo "scaling.sh: one core only, nothing is measured"
  exit 0
fi
cargo build --release --locked --quiet
program="${CARGO_TARGET_DIR:-target}/release/flitsim"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/forty.toml" <<'TOML'
title = "Forty points of four networks"
seed = 1
[traffic]
packet_flits = 4
[measure]
relative_error = 0.01
[sweep]
load = { from = 0.04, to = 0.40, steps = 10 }
[[series]]
name = "mesh"
topology = { kind = "mesh", radix = 8, dimensions = 2 }
[[series]]
name = "torus"
topology = { kind = "torus", radix = 8, dimensions = 2 }
[[series]]
name = "cube"
topology = { kind = "hypercube", dimensions = 7 }
[[series]]
name = "large torus"
topology = { kind = "torus", radix = 16, dimensions = 2 }
TOML

# Wall-clock and processor seconds of the sweep with $1 jobs.
measure() {
  local TIMEFORMAT='%R %U %S'
  { time "$program" --quiet sweep "$folder/forty.toml" --out "$folder/out$1" --jobs "$1" --overwrite \
    >/dev/null; } 2>&1 | awk '{ print $1, $2 + $3 }'
}

best() { sort -n | head -1; }
for round in 1 2; do
  measure 1 >>"$folder/one"
  measure 2 >>"$folder/two"
done
cmp "$folder/out1/points.csv" "$folder/out2/points.csv"
read -r wall1 cpu1 < <(best <"$folder/one")
read -r wall2 cpu2 < <(best <"$folder/two")
awk -v wall1="$wall1" -v cpu1="$cpu1" -v wall2="$wall2" -v cpu2="$cpu2" 'BEGIN {
  printf "one job  %7.2f s, %7.2f s of processor time\n", wall1, cpu1
  printf "two jobs %7.2f s, %7.2f s of processor time\n", wall2, cpu2
  printf "ratio %.3f\n", wall2 / wall1
  if (cpu1 / wall1 < 0.8 || cpu2 / wall2 < 1.6) {
    print "other work had the processors: not judged"
    exit 0
  }
  exit wall2 / wall1 > 0.6
}'
