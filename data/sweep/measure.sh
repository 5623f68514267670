#!/usr/bin/env bash
# Sweep queue depth and jobs with fio in two places in turn.
#
#   ./measure.sh OUT NAME=FOLDER NAME=FOLDER
#   ./measure.sh . disk=/mnt/a image=/mnt/b
#
# OUT gets {place}/{rw}_qd{iodepth}_jobs{numjobs}_{round}.json and machine.txt, which lacks its last
# line if the runs were interrupted. Nothing there is overwritten. The test files are deleted in any
# case. From the environment: ROUNDS (5), SECONDS_EACH (1).
#
# The place that begins changes from run to run (ABBA), and every second round goes from the deepest
# queue to the shallowest, so that a drift of the machine meets all of them alike.
set -euo pipefail
export LC_ALL=C

fail() {
    echo "measure.sh: $*" >&2
    exit 1
}

[ $# -eq 3 ] || fail "usage: measure.sh OUT NAME=FOLDER NAME=FOLDER"
rounds=${ROUNDS:-5}
each=${SECONDS_EACH:-1}
[ -d "$1" ] || fail "$1 is not a folder"
out=$(cd "$1" && pwd)
shift

file=fiotools-fio.tmp
names=()
folders=()
for side in "$@"; do
    name=${side%%=*} folder=${side#*=}
    [[ $side == *=* && $name =~ ^[a-z0-9]+$ ]] || fail "'$side' is not NAME=FOLDER"
    [ -d "$folder" ] && [ -w "$folder" ] || fail "cannot write to $folder"
    folder=$(cd "$folder" && pwd)
    [ ! -e "$folder/$file" ] || fail "$folder/$file exists already"
    [ ! -e "$out/$name" ] || fail "$out/$name exists already: move earlier results away"
    names+=("$name")
    folders+=("$folder")
done

clean() {
    local folder
    for folder in "${folders[@]}"; do rm -f "$folder/$file"; done
}
trap clean EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

mkdir "$out/${names[0]}" "$out/${names[1]}"
{
    echo "kernel: $(uname -srm)"
    echo "cpu: $(awk -F ': *' '/^model name/ {print $2; exit}' /proc/cpuinfo)"
    echo "processors: $(getconf _NPROCESSORS_ONLN)"
    echo "memory: $(awk '/^MemTotal:/ {print $2 " KiB"}' /proc/meminfo)"
    echo "fio: $(fio --version)"
    for at in 0 1; do
        read -r type options < <(findmnt -n -o FSTYPE,OPTIONS -T "${folders[at]}")
        echo "${names[at]}: $type, $options"
    done
    echo "began: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
} >"$out/machine.txt"

# Blocks that were never written are read as zeros, without a disk: write the file first.
for folder in "${folders[@]}"; do
    (cd "$folder" && fio --name=fill --filename=$file --size=256m --bs=1m --rw=write --direct=1 \
        --refill_buffers --output-format=terse >/dev/null)
done

turn=0
for ((round = 1; round <= rounds; round++)); do
    depths=(1 4 16)
    [ $((round % 2)) -eq 1 ] || depths=(16 4 1)
    for rw in randread randwrite; do
        for numjobs in 1 4; do
            for iodepth in "${depths[@]}"; do
                turn=$((turn + 1))
                for at in $((turn % 2)) $(((turn + 1) % 2)); do
                    report=$out/${names[at]}/${rw}_qd${iodepth}_jobs${numjobs}_$round.json
                    (cd "${folders[at]}" && fio --name=sweep --filename=$file --size=256m --bs=4k \
                        --rw=$rw --ioengine=libaio --direct=1 --iodepth="$iodepth" \
                        --numjobs=$numjobs --group_reporting --time_based --runtime="$each" \
                        --percentile_list=50:99:99.9 --output-format=json --output="$report.part")
                    mv "$report.part" "$report"
                done
            done
        done
    done
done
echo "ended: $(date -u +%Y-%m-%dT%H:%M:%SZ)" >>"$out/machine.txt"
