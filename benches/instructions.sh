#!/usr/bin/env bash
# Instructions for each flit-hop, counted by valgrind's callgrind: the difference between two run
# lengths over the difference of their flit-hops, so that setting up and warming up do not count.
# The count does not depend on the machine's load; on another compiler or machine it shifts a little.
#
#   benches/instructions.sh            # cases with a bound: fails where one is exceeded by over 5 %
#   benches/instructions.sh --all      # the other cases too
#   benches/instructions.sh KEY/dense  # this case on the dense engine (/avx2, /baseline: with these vectors)
#   benches/instructions.sh KEY...     # these cases (`cargo run --release -p flitsim-kernel-case` lists)
#
# KERNEL_CASE is the program to count, where it is built already. Without valgrind it says so and passes.
set -euo pipefail
cd "$(dirname "$0")/.."

# Bounds, in instructions a flit-hop, with arrivals and all statistics. A case is let off 5 %.
declare -A bound=(
  [mesh8-30]=385
  [mesh8-20-flits]=300
  [torus16-20]=350
  [mesh8-30/avx2]=134 [mesh8-20-flits/avx2]=70 [torus16-20/avx2]=131
  [mesh8-30/baseline]=175 [torus16-20/baseline]=173
)
# Cycles of the shorter run, for cases whose default sample is long under valgrind.
declare -A cycles=(
  [torus16-20]=500 [torus32-03]=300 [torus32-10]=120 [mesh64-01]=150 [mesh64-03]=60
  [torus16-3]=30 [cube10-duato]=80 [star6-nbc]=120 [tree1024]=150
)

if ! command -v valgrind >/dev/null; then
  echo "instructions.sh: valgrind is not here, nothing is counted"
  exit 0
fi
program=${KERNEL_CASE:-}
if [ -z "$program" ]; then
  cargo build --release --locked --quiet -p flitsim-kernel-case
  program="${CARGO_TARGET_DIR:-target}/release/kernel_case"
fi

case "${1:-}" in
  "") keys=(mesh8-30 mesh8-20-flits torus16-20 {mesh8-30,mesh8-20-flits,torus16-20}/avx2 {mesh8-30,torus16-20}/baseline) ;;
  --all) mapfile -t keys < <("$program" | cut -f1 | grep -v torus1024) ;;
  *) keys=("$@") ;;
esac

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
# Instructions and flit-hops of a run of $2 cycles of the case $1.
count() {
  local hops log=$logs/$2
  local case=${1%/*} engine=${1#*/}
  [[ $1 == */* ]] || engine=sparse
  hops=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$case" "$2" "$engine" 2>"$log" |
    sed -n 's/.*cycles, \([0-9]*\) flit-hops.*/\1/p')
  echo "$(sed -n 's/.*refs: *\([0-9,]*\)$/\1/p' "$log" | tr -d ,) $hops"
}

failed=0
for key in "${keys[@]}"; do
  short=${cycles[${key%/*}]:-1000}
  # The two runs, side by side.
  exec 3< <(count "$key" "$short") 4< <(count "$key" $((2 * short)))
  read -r instructions_a hops_a <&3
  read -r instructions_b hops_b <&4
  awk -v key="$key" -v bound="${bound[$key]:-0}" \
    -v instructions=$((instructions_b - instructions_a)) -v hops=$((hops_b - hops_a)) 'BEGIN {
      each = instructions / hops
      printf "%-22s %6.1f instructions a flit-hop", key, each
      if (bound) printf " (bound %d, exceeded from %.0f on)", bound, bound * 1.05
      print ""
      exit bound && each > bound * 1.05
    }' || failed=1
done
exit "$failed"
