#!/usr/bin/env bash
# Repeat two small fio jobs on two file systems in turn, many times; then one sweep and one long run.
#
#   ./measure.sh OUT NAME=FOLDER NAME=FOLDER
#   ./measure.sh . ext4=/mnt/a xfs=/mnt/b
#
# OUT gets rounds/{workload}_{filesystem}_{round}.json, depth/{iodepth}_{round}.json and long/ (both
# of the first file system), and machine.txt, which lacks its last line if the runs were
# interrupted. Nothing there is overwritten. The test files are deleted in any case. From the
# environment: ROUNDS (24), SECONDS_EACH (6), SECONDS_LONG (300).
#
# The file systems take turns, and the one to begin changes from round to round (ABBA), so that a
# drift of the machine meets both alike.
set -euo pipefail
export LC_ALL=C

fail() {
    echo "measure.sh: $*" >&2
    exit 1
}

[ $# -eq 3 ] || fail "usage: measure.sh OUT NAME=FOLDER NAME=FOLDER"
rounds=${ROUNDS:-24}
each=${SECONDS_EACH:-6}
long=${SECONDS_LONG:-300}
[ -d "$1" ] || fail "$1 is no folder"
out=$(cd "$1" && pwd)
for kept in rounds depth long machine.txt; do
    [ ! -e "$out/$kept" ] || fail "$kept is there already: move earlier results away"
done
shift

file=fiotools-fio.tmp
names=()
folders=()
for arm in "$@"; do
    name=${arm%%=*} folder=${arm#*=}
    [[ $arm == *=* && $name =~ ^[a-z0-9]+$ ]] || fail "'$arm' is no NAME=FOLDER"
    [ -d "$folder" ] && [ -w "$folder" ] || fail "$folder is no folder that can be written to"
    folder=$(cd "$folder" && pwd)
    [ ! -e "$folder/$file" ] || fail "$folder/$file is there already"
    names+=("$name")
    folders+=("$folder")
done

clean() {
    local folder
    for folder in "${folders[@]}"; do rm -f "$folder/$file" "$folder"/long_*.log; done
}
trap clean EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# run FOLDER REPORT OPTION...: one job, its report kept whole
run() {
    local folder=$1 report=$2
    shift 2
    (cd "$folder" && fio --name=job --filename=$file --size=512m --bs=4k --time_based \
        --output-format=json --output="$report.part" "$@")
    mv "$report.part" "$report"
}

randread=(--rw=randread --ioengine=libaio --direct=1 --iodepth=16)
fsync=(--rw=randwrite --ioengine=psync --fsync=1)

mkdir "$out/rounds" "$out/depth" "$out/long"
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

# written full of random data first: what was never written is read as zeros, without a disk
for folder in "${folders[@]}"; do
    (cd "$folder" && fio --name=fill --filename=$file --size=512m --bs=1m --rw=write --direct=1 \
        --refill_buffers --output-format=terse >/dev/null)
done

for ((round = 1; round <= rounds; round++)); do
    for workload in randread fsync; do
        declare -n job=$workload
        for turn in 0 1; do
            at=$(((turn + round + 1) % 2))
            echo "round $round of $rounds: $workload on ${names[at]}" >&2
            run "${folders[at]}" "$out/rounds/${workload}_${names[at]}_$round.json" \
                "${job[@]}" --runtime="$each"
        done
    done
done

for round in 1 2 3; do
    depths=(1 2 4 8 16 32 64 128)
    # there and back, so that a drift does not look like an effect of the depth
    [ $((round % 2)) -eq 1 ] || depths=(128 64 32 16 8 4 2 1)
    for depth in "${depths[@]}"; do
        echo "depth $depth, round $round of 3" >&2
        run "${folders[0]}" "$out/depth/${depth}_$round.json" \
            --rw=randread --ioengine=libaio --direct=1 --iodepth="$depth" --runtime="$each"
    done
done

echo "one run of $long s" >&2
run "${folders[0]}" "$out/long/long.json" --rw=randwrite --ioengine=libaio --direct=1 --iodepth=16 \
    --runtime="$long" --log_avg_msec=1000 --write_iops_log=long \
    --write_hist_log=long --log_hist_msec=1000 --log_hist_coarseness=3
mv "${folders[0]}"/long_*.log "$out/long/"
echo "ended: $(date -u +%Y-%m-%dT%H:%M:%SZ)" >>"$out/machine.txt"
