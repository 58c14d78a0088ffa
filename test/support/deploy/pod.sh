# Runs a program in a separate network, like a pod. A virtual cable joins it to the network of another process: pod.sh
# PROCESS CABLE OUTSIDE INSIDE NAMES PROGRAM [ARGUMENT]... PROCESS is a process id, CABLE the name of its end of the
# cable, OUTSIDE and INSIDE the addresses of both ends, and NAMES a file that becomes the pod's /etc/resolv.conf. The
# network and the cable end with the program.
set -e
process=$1 cable=$2 outside=$3 inside=$4 names=$5
shift 5
if [ -z "$IS_POD" ]; then
  IS_POD=yes exec unshare --net --mount sh "$0" "$process" "$cable" "$outside" "$inside" "$names" "$@"
fi
unset IS_POD
mount --bind "$names" /etc/resolv.conf
ip link add eth0 type veth peer name "$cable" netns "$process"
nsenter --net="/proc/$process/ns/net" sh -c 'ip address add "$1/30" dev "$0" && ip link set "$0" up' "$cable" "$outside"
ip address add "$inside/30" dev eth0
ip link set lo up
ip link set eth0 up
ip route add default via "$outside"
exec "$@"
