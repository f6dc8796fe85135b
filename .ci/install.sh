#!/bin/sh
# Installs packer @VERSION@: takes the archive for this machine, looks whether it is the one
# that was released, and puts the program into ~/.local/bin.
#
#   PACKER_BIN    where the program goes, in place of ~/.local/bin
#   PACKER_URL    where the archives are, in place of the release's own place; `file://` too
set -eu

url=${PACKER_URL:-@URL@}
bin=${PACKER_BIN:-$HOME/.local/bin}
sums='@SUMS@'

fail() { printf 'packer was not installed: %s\n' "$1" >&2; exit 1; }

case $(uname -s) in
    Linux) system=unknown-linux-musl ;;
    Darwin) system=apple-darwin ;;
    *) fail "there is no program for $(uname -s) here; on Windows take the .zip" ;;
esac
case $(uname -m) in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) fail "there is no program for $(uname -m)" ;;
esac
folder=packer-@VERSION@-$machine-$system
archive=$folder.tar.gz
sum=$(printf '%s\n' "$sums" | sed -n "s/  $archive\$//p")
[ -n "$sum" ] || fail "this release has no $archive"
[ -n "$url" ] || fail 'PACKER_URL has to say where the archives are'

temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
case $url in
    file://*) cp "${url#file://}/$archive" "$temporary/$archive" || fail "there is no $url/$archive" ;;
    *)
        if command -v curl >/dev/null; then
            curl --proto '=https' --fail --silent --show-error --location \
                --output "$temporary/$archive" "$url/$archive" || fail "$url/$archive cannot be had"
        elif command -v wget >/dev/null; then
            wget --https-only --quiet --output-document "$temporary/$archive" "$url/$archive" ||
                fail "$url/$archive cannot be had"
        else
            fail 'neither curl nor wget is there'
        fi
        ;;
esac
if command -v sha256sum >/dev/null; then
    found=$(sha256sum "$temporary/$archive")
elif command -v shasum >/dev/null; then
    found=$(shasum -a 256 "$temporary/$archive")
else
    fail 'neither sha256sum nor shasum is there, so nobody can tell whether it is the right one'
fi
[ "${found%% *}" = "$sum" ] || fail "$archive is not the one that was released: its SHA-256 is ${found%% *}"

tar -xzf "$temporary/$archive" -C "$temporary"
"$temporary/$folder/packer" --version >/dev/null || fail 'the program does not run here'
mkdir -p "$bin"
# In one step, also over one that is running.
cp "$temporary/$folder/packer" "$bin/.packer.$$"
mv "$bin/.packer.$$" "$bin/packer"
printf 'installed %s\n' "$bin/packer"
case :$PATH: in
    *:"$bin":*) ;;
    *) printf 'add it to your PATH: export PATH="%s:$PATH"\n' "$bin" ;;
esac
