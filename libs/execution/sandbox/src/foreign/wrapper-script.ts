/**
 * POSIX shell that carries out one run in a place that serves several. Standard input: a line with the word that marks what it says on its
 * output, then an archive in base64 (see `packRun`). The word is kept in a variable of the shell alone: arguments, environment and files of
 * this process are open to the command. It says that it is here; makes the run's folder of `base`, as it was put, and of what the archive
 * adds; sees that it is, byte for byte, the tree that is wanted; runs the command; ends what that left; says how it ended, and gives back
 * the files asked for.
 */
export const WRAPPER = String.raw`
h__say() { printf '[h:%s:%s]' "$h__mark" "$1"; }
h__refuse() { h__say "refused $1"; exit 0; }
unset CDPATH h__mark
read -r h__mark || exit 0
case $h__mark in '' | *[!0-9a-f]*) exit 0 ;; esac
h__say here
h__mask=$(umask)
umask 022
trap : HUP INT QUIT TERM ALRM PIPE USR1 USR2
for h__tool in base64 cat cp env find grep head ls mkdir readlink rm rmdir sed sha256sum sort tar wc; do
  command -v "$h__tool" >/dev/null 2>&1 || h__refuse tools
done
[ -r /proc/self/environ ] || h__refuse tools
h__run=$(pwd -P)/run
rm -rf run 2>/dev/null
if [ -e run ] || [ -L run ]; then h__refuse left; fi
{
  mkdir run run/home run/tmp run/in && base64 -d >run/in.tar && tar -x -o -f run/in.tar -C run/in &&
    if [ -d base ]; then cp -R -P -p base run/workspace; else mkdir run/workspace; fi
} >/dev/null 2>&1 || h__refuse tools
exec </dev/null
. ./run/in/define
(h__change && { [ ! -d run/in/added ] || cp -R -P -p run/in/added/. run/workspace/; }) >/dev/null 2>&1 || h__refuse tree
h__look() {
  cd run/workspace || return 1
  {
    find . -type d | sed 's/^/d /'
    find . -type f -perm -100 | sed 's/^/x /'
    find . ! -type d ! -type f ! -type l | sed 's/^/o /'
    find . -type l -exec /bin/sh -c 'for l; do printf "l %s %s\n" "$l" "$(readlink "$l")"; done' sh {} +
    find . -type f -exec sha256sum {} +
  } 2>/dev/null | LC_ALL=C sort | sha256sum
}
h__seen=$(h__look)
[ "@{h__seen%% *}" = "$h__wanted" ] || h__refuse tree
(h__enter && command -v "$h__program") >/dev/null 2>&1 || h__refuse program
h__say begin
{ (umask "$h__mask"; h__command) <run/in/stdin 2>&3 3>&-; h__code=$?; } 3>&2 2>/dev/null
h__alive() {
  {
    grep -l -F -e "$h__run/" /proc/[0-9]*/environ
    ls -ld /proc/[0-9]*/cwd | grep -F -e "-> $h__run"
  } 2>/dev/null | sed 's|.*/proc/\([0-9]*\)/.*|\1|'
}
h__left=0
for h__turn in 1 2 3 4 5 6 7 8; do
  h__pids=$(h__alive)
  [ -n "$h__pids" ] || break
  h__left=1
  kill -9 $h__pids 2>/dev/null
done
if [ "$h__most" -gt 0 ]; then
  h__count=$(cd run/workspace 2>/dev/null && h__match /bin/sh -c 'for f; do printf x; done' sh 2>/dev/null | wc -c)
  (cd run/workspace && h__match tar -c -f -) 2>/dev/null | head -c "$h__most" >run/out 2>/dev/null
  h__sum=$(sha256sum <run/out)
  h__say "end $h__code $h__left $((@{h__count:-0})) @{h__sum%% *}"
  base64 <run/out 2>/dev/null
else
  h__say "end $h__code $h__left 0 -"
fi
h__say "done"
exit "$h__code"
`.replaceAll('@{', '${');
