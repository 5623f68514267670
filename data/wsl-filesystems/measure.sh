#!/usr/bin/env bash
# Write and read a file with dd at five block sizes, on several file systems; keep what dd printed.
#
#   ./measure.sh OUT NAME=FOLDER [NAME=FOLDER ...]
#   ./measure.sh . ext4=/home/me/scratch tmpfs=/dev/shm
#
# OUT gets {NAME}_{write|read}_{4k|32k|256k|2m|16m}_{round}.txt: the command after a "$ ", then dd's
# report as it was printed; and machine.txt, which lacks its last line if the runs were interrupted.
# Nothing there is overwritten. The test file is deleted in any case. From the environment:
# SIZE_MIB, the size of the file (1024, a multiple of 16), and ROUNDS (3).
#
# One round has all block sizes; at each of them the file systems take turns, and the one to begin
# changes from round to round and from block size to block size. Every dd starts after a sync, so
# that it does not pay for the writing before it; the sync is not timed.
set -euo pipefail
export LC_ALL=C

fail() {
    echo "measure.sh: $*" >&2
    exit 1
}

usage="usage: measure.sh OUT NAME=FOLDER [NAME=FOLDER ...]"
[ $# -ge 2 ] || fail "$usage"
size_mib=${SIZE_MIB:-1024}
rounds=${ROUNDS:-3}
[[ $size_mib =~ ^[1-9][0-9]*$ ]] || fail "SIZE_MIB=$size_mib is no whole number"
[ $((size_mib % 16)) -eq 0 ] || fail "SIZE_MIB=$size_mib is no multiple of 16"
[[ $rounds =~ ^[1-9][0-9]*$ ]] || fail "ROUNDS=$rounds is no whole number"
[ -d "$1" ] || fail "$1 is no folder"
out=$(cd "$1" && pwd)
shift

file=fiotools-dd.tmp
names=()
folders=()
for arm in "$@"; do
    name=${arm%%=*}
    folder=${arm#*=}
    [[ $arm == *=* && $name =~ ^[a-z0-9-]+$ ]] ||
        fail "'$arm' is no NAME=FOLDER with a NAME of a-z, 0-9 and -; $usage"
    [[ " ${names[*]-} " != *" $name "* ]] || fail "$name is given twice"
    [ -d "$folder" ] && [ -w "$folder" ] || fail "$folder is no folder that can be written to"
    folder=$(cd "$folder" && pwd)
    [ ! -e "$folder/$file" ] || fail "$folder/$file is there already: delete it, if nothing uses it"
    # room for the file and a tenth more; on tmpfs it has to fit into the memory too
    need=$((size_mib * 1024 * 11 / 10))
    free=$(df -Pk "$folder" | awk 'NR == 2 {print $4}')
    [ "$free" -ge "$need" ] || fail "$name has $free KiB free and needs $need KiB"
    if [ "$(stat -f -c %T "$folder")" = tmpfs ]; then
        free=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)
        [ "$free" -ge "$need" ] || fail "$name is in memory: $free KiB are free, it needs $need KiB"
    fi
    names+=("$name")
    folders+=("$folder")
done
kept=("$out"/*_{write,read}_*_*.txt "$out/machine.txt")
for one in "${kept[@]}"; do
    [ ! -e "$one" ] || fail "$one is there already: move earlier results away"
done

clean() {
    local folder
    for folder in "${folders[@]}"; do rm -f "$folder/$file"; done
    rm -f "$out/.unfinished"
}
trap clean EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Mount options that name folders or addresses of the machine are cut to their names.
describe() {
    local at name folder type options
    echo "kernel: $(uname -srm)"
    echo "cpu: $(awk -F ': *' '/^model name/ {print $2; exit}' /proc/cpuinfo)"
    echo "processors: $(getconf _NPROCESSORS_ONLN)"
    echo "memory: $(awk '/^MemTotal:/ {print $2 " KiB"}' /proc/meminfo)"
    echo "dd: $(dd --version 2>&1 | head -n 1)"
    echo "file: $size_mib MiB; rounds: $rounds"
    for at in "${!names[@]}"; do
        name=${names[at]} folder=${folders[at]}
        read -r type options < <(findmnt -n -o FSTYPE,OPTIONS -T "$folder") ||
            fail "findmnt knows nothing of $folder"
        options=$(tr , '\n' <<<"$options" |
            sed -E 's|=.*[/:@].*|=...|; s|(addr)=.*|\1=...|; /^[/:]/d' | paste -sd , -)
        echo "$name: $type, $options"
        echo "$name room: $(df -Ph "$folder" | awk 'NR == 2 {print $2 " in all, " $4 " free"}')"
    done
}

# one NAME FOLDER OPERATION SIZE ROUND OPERAND...: run dd once and keep its report
one() {
    local name=$1 folder=$2 operation=$3 size=$4 round=$5
    shift 5
    sync
    echo "\$ dd $*" >"$out/.unfinished"
    if ! (cd "$folder" && dd "$@") 2>>"$out/.unfinished"; then
        cat "$out/.unfinished" >&2
        fail "dd failed on $name"
    fi
    mv "$out/.unfinished" "$out/${name}_${operation}_${size}_${round}.txt"
}

describe >"$out/machine.txt"
echo "began: $(date -u +%Y-%m-%dT%H:%M:%SZ)" >>"$out/machine.txt"
turn=0
for ((round = 1; round <= rounds; round++)); do
    for kib in 4 32 256 2048 16384; do
        bs=${kib}k size=${kib}k
        [ "$kib" -lt 1024 ] || { bs=$((kib / 1024))M && size=$((kib / 1024))m; }
        for ((arm = 0; arm < ${#names[@]}; arm++)); do
            at=$(((arm + turn) % ${#names[@]}))
            name=${names[at]} folder=${folders[at]}
            echo "round $round of $rounds, bs=$bs, $name" >&2
            count=$((size_mib * 1024 / kib))
            one "$name" "$folder" write "$size" "$round" if=/dev/zero of=$file bs=$bs count=$count
            one "$name" "$folder" read "$size" "$round" if=$file of=/dev/null bs=$bs
            rm "$folder/$file"
        done
        turn=$((turn + 1))
    done
    turn=$round
done
echo "ended: $(date -u +%Y-%m-%dT%H:%M:%SZ)" >>"$out/machine.txt"
