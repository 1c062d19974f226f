#!/bin/sh
# nodewright of a package, on the Node.js of the package. Clusters and their talosconfig are in the user's data folder; a
# person's own ~/.talos is never touched.
set -eu

fail() {
  echo "nodewright: $1" >&2
  exit 1
}

# npx starts this file through a link.
script=$0
while [ -L "$script" ]; do
  target=$(readlink "$script")
  case $target in
    /*) script=$target ;;
    *) script=$(dirname "$script")/$target ;;
  esac
done
case $script in */*) ;; *) script=./$script ;; esac
folder=$(CDPATH='' cd -P -- "${script%/*}" && pwd)
package=${folder%/*}

machine=$(uname -m)
case $machine in
  aarch64 | arm64) arch=arm64 triplet=aarch64-linux-gnu loader=/lib/ld-linux-aarch64.so.1 ;;
  x86_64 | amd64) arch=x64 triplet=x86_64-linux-gnu loader=/lib64/ld-linux-x86-64.so.2 ;;
  *) fail "there is no package for $machine: use x86_64 or aarch64" ;;
esac
runtime=$package/runtime/linux-$arch
[ -x "$runtime/node" ] || fail "this package has no Node.js for $machine: use the package for this architecture"
[ -e "$loader" ] ||
  fail "this system has no glibc ($loader is missing): use one that has it, such as Debian, Ubuntu or Fedora"

# Node.js needs this library, which many small systems lack. An empty file counts as missing.
has_library=
for library in "/usr/lib/$triplet" "/lib/$triplet" /usr/lib64 /lib64 /usr/lib /lib; do
  if [ -s "$library/libatomic.so.1" ]; then
    has_library=yes
    break
  fi
done
if [ -z "$has_library" ]; then
  LD_LIBRARY_PATH=$runtime${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
fi

# Source: XDG Base Directory Specification: a relative path is ignored.
case ${XDG_DATA_HOME:-} in
  /*) data=$XDG_DATA_HOME/nodewright ;;
  *)
    case ${HOME:-} in
      /*) data=$HOME/.local/share/nodewright ;;
      *) fail 'HOME and XDG_DATA_HOME name no folder for the data of clusters: set one of them' ;;
    esac
    ;;
esac
case ${TALOS_HOME:-} in /*) ;; *) TALOS_HOME=$data/talos ;; esac
export TALOS_HOME

case ${1:-} in
  talosctl) shift ;;
  ui) ;;
  *)
    # A library of the system that is too old shows at the start alone, in several lines of the loader.
    if ! reason=$("$runtime/node" --version 2>&1); then
      fail "Node.js does not start on this system: $(echo "$reason" | head -n 1)"
    fi
    exec "$runtime/node" "$package/dist/nodewright/nodewright.cjs" "$data" "$@"
    ;;
esac
# Node opens /dev/null in the place of an output that is closed, and the answer would vanish there without a word. What
# is open for reading alone takes no answer either, and says so.
if ! { true 3>&1; } 2>/dev/null; then exec 1</dev/null; fi
# Most commands end before they have used 4 MiB for new objects, and are spared the collections of a smaller space.
exec "$runtime/node" --min-semi-space-size=4 "$package/dist/talosctl/talosctl.cjs" "$@"
