#!/bin/sh
# Measures five rounds into a folder and, if another folder is named, compares with what lies there:
#     sh pipeline.sh old
#     sh pipeline.sh new old
set -eu
folder=$1
mkdir -p "$folder"
for round in 1 2 3 4 5; do
    fio --name=gate --filename="${FILE:-gate.data}" --size=16m --rw=randread --bs=4k \
        --time_based --runtime="${SECONDS_EACH:-10}" ${RATE:+--rate_iops="$RATE"} \
        --output-format=json --output="$folder/$round.json"
done
if [ $# -gt 1 ]; then
    fiotools compare "old=$2/*.json" "new=$folder/*.json" --metric iops --fail-if slower:10%
fi
