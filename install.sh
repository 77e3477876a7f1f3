#!/bin/sh
# Installs Latimer: finds the program for this machine, checks its SHA-256 sum, and only then puts it in its place.
#
#   install.sh                    the newest release, into ~/.local/bin
#   install.sh --to FOLDER        into another folder
#   install.sh --version 0.1.0    that release
#   install.sh --from FOLDER|URL  the files of a release from a folder, or from the address that their names follow
#
# LATIMER_REPOSITORY is the address of the project, https://HOST/OWNER/latimer; --from needs none.
# It needs no rights but to write to that folder. It runs in any POSIX shell, so that small systems need no other.
set -eu

repository=${LATIMER_REPOSITORY-}
to=
version=
from=
from_sources="build it from the sources with: cargo install --path ."
check_address="check the connection, and the address in LATIMER_REPOSITORY, --version or --from"

usage() {
    cat <<END
usage: install.sh [--to FOLDER] [--version VERSION] [--from FOLDER|URL]

  --to FOLDER         where the program goes (default: ~/.local/bin)
  --version VERSION   a release, such as 0.1.0 (default: the newest)
  --from FOLDER|URL   where the files of a release are: a folder, or the address that their names follow

LATIMER_REPOSITORY is the address of the project, https://HOST/OWNER/latimer. It is needed without --from.
END
}

# Ends with this exit code, 2 for wrong arguments, and these words.
fail() {
    code=$1
    shift
    echo "install.sh: $*" >&2
    exit "$code"
}

has() { command -v "$1" >/dev/null 2>&1; }

read_arguments() {
    while [ $# -gt 0 ]; do
        case $1 in
        --help | -h)
            usage
            exit
            ;;
        --to | --version | --from)
            if [ -z "${2-}" ]; then fail 2 "$1 needs a value; see install.sh --help"; fi
            case $1 in
            --to) to=$2 ;;
            --version) version=${2#v} ;;
            --from) from=${2%/} ;;
            esac
            shift 2
            ;;
        *) fail 2 "there is no option $1; see install.sh --help" ;;
        esac
    done
    if [ -n "$from" ] && [ -n "$version" ]; then
        fail 2 "--from names the files of one release, so --version cannot choose another; leave one of them out"
    fi
}

# Names the folder of the program and the place of the release.
choose_places() {
    if [ -z "$to" ]; then
        if [ -z "${HOME-}" ]; then fail 2 "HOME is not set, so there is no ~/.local/bin; name a folder with --to"; fi
        to=$HOME/.local/bin
    fi
    if [ -d "$to/latimer" ]; then fail 1 "$to/latimer is a folder; name another one with --to"; fi
    if [ -n "$from" ]; then return; fi
    repository=${repository%/}
    case $repository in
    http://* | https://*) ;;
    "")
        fail 2 "LATIMER_REPOSITORY is not set; set it to the address of the project (https://HOST/OWNER/latimer)," \
            "or name a folder or an address with --from"
        ;;
    *) fail 2 "LATIMER_REPOSITORY is \"$repository\", which is not an address; it begins with https://" ;;
    esac
    if [ -n "$version" ]; then
        from=$repository/releases/download/v$version
    else
        from=$repository/releases/latest/download
    fi
}

# Names this machine as the archives do.
name_machine() {
    system=$(uname -s)
    processor=$(uname -m)
    case $system in
    Linux) system=linux ;;
    Darwin) system=macos ;;
    *) fail 1 "there is no program for $system, only for Linux and macOS; $from_sources" ;;
    esac
    case $processor in
    x86_64 | amd64) processor=x86_64 ;;
    aarch64 | arm64) processor=aarch64 ;;
    *) fail 1 "there is no program for $processor processors, only for x86_64 and aarch64; $from_sources" ;;
    esac
    machine=$processor-$system
}

# Checks before anything is fetched that this system has what the rest needs.
choose_tools() {
    for tool in tar gzip mktemp awk; do
        if ! has "$tool"; then fail 1 "this system has no $tool; install it and try again"; fi
    done
    # macOS has shasum and, before version 15, no sha256sum.
    if has sha256sum; then
        sum=sha256sum
    elif has shasum; then
        sum="shasum -a 256"
    else
        fail 1 "this system has neither sha256sum nor shasum, and nothing is installed unchecked;" \
            "install coreutils and try again"
    fi
    case $from in
    http://* | https://*)
        if has curl; then
            fetch=curl
        elif has wget; then
            fetch=wget
        else
            fail 1 "this system has neither curl nor wget; install one, or fetch the files of the release elsewhere" \
                "and name their folder with --from"
        fi
        ;;
    *) fetch=folder ;;
    esac
}

# Brings one file of the release into the folder of this run.
bring() {
    echo "reading $from/$1" >&2
    case $fetch in
    folder)
        cp "$from/$1" "$work/$1" 2>/dev/null ||
            fail 1 "cannot read $from/$1; --from names a folder with the files of a release"
        ;;
    curl)
        # An address that begins with https is never left for one that does not.
        case $from in https://*) only="=https" ;; *) only="=http,https" ;; esac
        curl --fail --silent --show-error --location --retry 3 --proto "$only" --output "$work/$1" "$from/$1" ||
            fail 1 "cannot fetch $from/$1; $check_address"
        ;;
    wget) wget -q -O "$work/$1" "$from/$1" || fail 1 "cannot fetch $from/$1; $check_address" ;;
    esac
}

# Names the archive for this machine, and what its sum is to be, out of the list of sums.
find_archive() {
    bring SHA256SUMS
    line=$(awk -v end="-$machine.tar.gz" '
        { name = $2; sub(/^\*/, "", name) }
        name ~ /^latimer-[0-9A-Za-z._+-]+$/ && substr(name, length(name) - length(end) + 1) == end { print $1, name }
    ' "$work/SHA256SUMS")
    case $line in
    "") fail 1 "this release has no program for $machine ($from/SHA256SUMS lists none); $from_sources" ;;
    *"
"*) fail 1 "$from/SHA256SUMS lists several programs for $machine; tell those who made the release" ;;
    esac
    expected=${line%% *}
    archive=${line#* }
}

check_archive() {
    bring "$archive"
    found=$($sum "$work/$archive")
    found=${found%% *}
    if [ "$found" != "$expected" ]; then
        fail 1 "the SHA-256 sum of $archive is $found and should be $expected: it is damaged, or not the one that was" \
            "released. Nothing was installed; try again, and if it stays so, tell those who made the release"
    fi
}

# A program appears under its name when it has been started once from where it will lie: never half, and never one that
# this machine cannot run.
install_program() {
    name=${archive%.tar.gz}/latimer
    (cd "$work" && gzip -dc "$archive" | tar -xf - "$name") ||
        fail 1 "cannot unpack $archive in ${TMPDIR:-/tmp}; name a folder with 200 MB of room in TMPDIR"
    mkdir -p "$to" 2>/dev/null || fail 1 "cannot make the folder $to; name one that you may write to with --to"
    to=$(cd "$to" && pwd)
    part=$to/.latimer.$$
    cp "$work/$name" "$part" 2>/dev/null ||
        fail 1 "cannot write to $to; name a folder that you may write to, and that has room, with --to"
    chmod 755 "$part"
    said=$("$part" --version 2>&1) ||
        fail 1 "this machine cannot run the program in $to ($said). Nothing was installed;" \
            "if programs may not run from there, name another folder with --to"
    mv -f "$part" "$to/latimer" || fail 1 "cannot replace $to/latimer; nothing was changed"
    part=
}

say_next() {
    echo "installed $said: $to/latimer"
    case :${PATH-}: in
    *:"$to":*)
        first=$(command -v latimer || true)
        if [ "$first" != "$to/latimer" ]; then echo "$first comes first in PATH and is another one"; fi
        ;;
    *) echo "$to is not in PATH; add it: export PATH=\"$to:\$PATH\"" ;;
    esac
}

clean_up() {
    if [ -n "$part" ]; then rm -f "$part"; fi
    if [ -n "$work" ]; then rm -rf "$work"; fi
}

# The shell has read all of this file before the first line of it runs, so one that was cut on the way does nothing.
main() {
    read_arguments "$@"
    choose_places
    name_machine
    choose_tools
    part=
    work=
    trap clean_up EXIT
    trap 'exit 1' HUP INT TERM
    work=$(mktemp -d) || fail 1 "cannot make a folder in ${TMPDIR:-/tmp}; name one with room in TMPDIR"
    find_archive
    check_archive
    install_program
    say_next
}

main "$@"
