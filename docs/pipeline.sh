#!/bin/sh
# Measures two places in turns, the old build in one and the new build in the other, into the folders old and new:
#     sh pipeline.sh /mnt/old /mnt/new && fiotools gate old new --metric iops --fail-if slower:10%
# Seven rounds show a loss of 20 % four times in five at a CV of 5 %: fiotools plan --cv 0.05 --fail-if slower:10% --differences 0.2
set -eu
measure() { # NAME PLACE [IOPS]
    mkdir -p "$1"
    fio --name=gate --directory="$2" --size=16m --rw=randread --bs=4k \
        --time_based --runtime="${SECONDS_EACH:-10}" ${3:+--rate_iops="$3"} \
        --output-format=json --output="$1/$round.json"
}
for round in $(seq "${ROUNDS:-7}"); do
    if [ $((round % 2)) = 1 ]; then
        measure old "$1" "${OLD_RATE:-}"
        measure new "$2" "${NEW_RATE:-}"
    else
        measure new "$2" "${NEW_RATE:-}"
        measure old "$1" "${OLD_RATE:-}"
    fi
done
