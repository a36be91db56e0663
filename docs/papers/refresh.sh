#!/bin/sh
# Puts what a run of all papers made into these pages: figures, manifest, tables of claims.
#
#   flitsim reproduce --full --out out/papers
#   docs/papers/refresh.sh out/papers
set -eu
made=$1
pages=$(dirname "$0")
cp "$made/manifest.json" "$pages/manifest.json"
for page in "$pages"/*-*.md; do
    paper=$(basename "$page" .md)
    mkdir -p "$pages/$paper"
    # The figures that the page shows.
    for figure in $(grep -o "($paper/[a-z0-9-]*\.svg)" "$page" | tr -d '()' | sort -u); do
        cp "$made/$figure" "$pages/$figure"
    done
    # Everything from the heading on is generated.
    sed '/^## Every claim$/,$d' "$page" > "$page.new"
    { cat "$page.new"; printf '## Every claim\n\n'; cat "$made/$paper/claims.md"; } > "$page"
    rm "$page.new"
done
