#!/bin/busybox sh
# The guest's side of scripts/vm. It is /init of the initramfs (stage 1: find the
# host's files and switch to them) and then PID 1 on the shared root (stage 2:
# load RDMA and RDS, set up addresses, run the job, hand back its status).
#
# It talks to the host through virtio-serial ports of fixed number:
#   vport0p1 stdout   vport0p2 stderr   vport0p3 control   vport0p4 stdin
# Control lines, guest to host:  mark NAME | fail TEXT | exit STATUS OUT ERR
# (OUT and ERR are the numbers of bytes sent on the two output ports), and
# host to guest:  stop

# Debian's busybox takes its own tools before those of the PATH, so the plain
# names below (mount, sed, kill, ...) are busybox's; the host's ip and rdma come
# with their paths, as IP and RDMA.

BB=/run/verbena-vm/busybox
say() { echo "$*" >&3; }

# Tell the host why it ends here, then wait to be ended.
fail() {
    say "fail $*"
    while :; do sleep 1; done
}

# Insert modules of the initramfs, in the order given.
load() {
    for m in "$@"; do
        insmod "$MODS/$m.ko" || fail "module $m does not load"
    done
}

stage1() {
    export PATH=/bin
    mount -t devtmpfs dev /dev
    exec </dev/console >/dev/console 2>&1
    mount -t proc proc /proc
    mount -t sysfs sys /sys
    MODS=/mods
    # shellcheck disable=SC2046
    load $(cat /mods/boot.list)
    until [ -c /dev/vport0p3 ]; do sleep 0.01; done
    exec 3<>/dev/vport0p3
    say mark kernel

    mkdir -p /lower /rw /new
    mount -t 9p -o ro,trans=virtio,version=9p2000.L,cache=loose,msize=262144 root /lower ||
        fail "the host's root does not mount over 9p"
    mount -t tmpfs -o mode=755 rw /rw
    mkdir /rw/up /rw/work
    mount -t overlay -o lowerdir=/lower,upperdir=/rw/up,workdir=/rw/work overlay /new ||
        fail "no overlay over the host's root"
    for d in dev proc sys run; do [ -d /new/$d ] || mkdir /new/$d; done
    mount -t tmpfs -o mode=755 run /new/run
    mkdir /new/run/verbena-vm
    cp -r /bin/busybox /mods /init /new/run/verbena-vm/
    mount -o move /dev /new/dev
    mount -o move /proc /new/proc
    mount -o move /sys /new/sys
    say mark root
    exec switch_root /new $BB sh /run/verbena-vm/init stage2
}

# ---- stage 2 ---------------------------------------------------------------

mounts() {
    mkdir -p /dev/pts /dev/shm
    mount -t devpts -o gid=5,mode=620,ptmxmode=666 devpts /dev/pts
    mount -t tmpfs -o mode=1777 shm /dev/shm
    mount -t debugfs debugfs /sys/kernel/debug
    [ -e /dev/fd ] || ln -s /proc/self/fd /dev/fd
    ln -sf /proc/self/fd/0 /dev/stdin
    ln -sf /proc/self/fd/1 /dev/stdout
    ln -sf /proc/self/fd/2 /dev/stderr
    # The directories that are shared for writing, by tag and path.
    while read -r tag dir; do
        mount -t 9p -o "trans=virtio,version=9p2000.L,cache=mmap,msize=262144" "$tag" "$dir" ||
            fail "$dir does not mount for writing"
    done <"$JOB/rw"
    # All of the kernel's modules, for modprobe and the kernel's own requests.
    KVER=$(uname -r)
    mkdir -p "/lib/modules/$KVER"
    mount -o bind "$KERNEL_DIR/lib/modules/$KVER" "/lib/modules/$KVER"
    for t in modprobe insmod rmmod lsmod; do
        [ -e /sbin/$t ] || ln -s $BB /sbin/$t
    done
}

# Two ends of a veth pair in one network namespace reach each other through the
# pair, not through lo, when the look-up of local addresses comes after rules
# that send A-to-B out of A's end. rxe of this kernel works only in the first
# namespace, so this is how two rxe devices get a wire between them.
wire() {
    $IP -batch - <<-END || fail "no pair of rxe network devices"
	link set lo up
	link add rdma0 address 02:00:00:00:01:01 type veth peer name rdma1 address 02:00:00:00:01:02
	addr add 10.0.1.1/24 dev rdma0 noprefixroute
	addr add 10.0.1.2/24 dev rdma1 noprefixroute
	link set rdma0 up
	link set rdma1 up
	route add 10.0.1.0/24 dev rdma0 src 10.0.1.1 table 101
	route add 10.0.1.0/24 dev rdma1 src 10.0.1.2 table 102
	rule add pref 10 iif rdma0 lookup local
	rule add pref 10 iif rdma1 lookup local
	rule add pref 20 from 10.0.1.1 to 10.0.1.2 lookup 101
	rule add pref 20 from 10.0.1.2 to 10.0.1.1 lookup 102
	rule add pref 100 lookup local
	rule del pref 0
	neigh add 10.0.1.2 lladdr 02:00:00:00:01:02 dev rdma0 nud permanent
	neigh add 10.0.1.1 lladdr 02:00:00:00:01:01 dev rdma1 nud permanent
	END
    for d in rdma0 rdma1; do
        c=/proc/sys/net/ipv4/conf/$d
        echo 1 >$c/accept_local
        echo 0 >$c/rp_filter
        echo 1 >$c/arp_ignore
        echo 2 >$c/arp_announce
    done
    echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
}

network() {
    hostname verbena-vm
    # shellcheck disable=SC2046
    load $(cat $MODS/rdma.list)
    # Addresses are usable at once, without the seconds of duplicate detection.
    echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad
    if [ "$HOSTS" = 2 ]; then
        wire
        for i in 0 1; do
            $RDMA link add rxe$i type rxe netdev rdma$i || fail "no rxe device rxe$i"
        done
        $IP -batch - <<-END || fail "no network namespaces"
		netns add A
		netns add B
		link add a0 address 02:00:00:00:00:01 netns A type veth peer name b0 address 02:00:00:00:00:02 netns B
		END
        for h in "A a0 10.0.0.1" "B b0 10.0.0.2"; do
            # shellcheck disable=SC2086
            set -- $h
            $IP -n "$1" -batch - <<-END || fail "no address in namespace $1"
			link set lo up
			addr add $3/24 dev $2
			link set $2 up
			END
        done
    else
        load dummy
        $IP -batch - <<-END || fail "no rxe network device"
		link set lo up
		link set dummy0 name rdma0 address 02:00:00:00:01:01
		addr add 10.0.1.1/24 dev rdma0
		link set rdma0 up
		END
        $RDMA link add rxe0 type rxe netdev rdma0 || fail "no rxe device"
    fi
}

# End every process of user space but this script and the ones named. They hold
# the output pipes, whose ends the pumps wait for.
sweep() {
    for _ in $(seq 100); do
        left=
        for p in /proc/[0-9]*; do
            p=${p#/proc/}
            case " 1 $* " in *" $p "*) continue ;; esac
            # A kernel thread, and a process that has ended, has no program.
            [ -n "$(readlink "/proc/$p/exe" 2>/dev/null)" ] || continue
            kill -9 "$p" 2>/dev/null && left=$p
        done
        [ -n "$left" ] || return
        sleep 0.02
    done
}

sent() { sed -n 's/^bytes_sent: //p' "/sys/kernel/debug/virtio-ports/$1"; }

stage2() {
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
    JOB=$(sed -n 's/.*verbena_vm\.job=\([^ ]*\).*/\1/p' /proc/cmdline)
    MODS=/run/verbena-vm/mods
    # shellcheck source=/dev/null
    . "$JOB/conf"
    mounts
    network
    say mark rdma

    cd /run/verbena-vm || fail "no /run"
    mkfifo out err
    $BB cat out >/dev/vport0p1 &
    OUT=$!
    $BB cat err >/dev/vport0p2 &
    ERR=$!
    if [ "$STDIN" = 1 ]; then IN=/dev/vport0p4; else IN=/dev/null; fi
    /bin/sh "$JOB/job" <$IN >out 2>err 3>&- &
    CMD=$!
    (
        read -r line <&3
        [ "$line" = stop ] && kill -9 $CMD
    ) &
    WATCH=$!
    wait $CMD
    STATUS=$?
    sweep $OUT $ERR $WATCH
    wait $OUT
    wait $ERR
    kill $WATCH
    cd /
    sync
    while read -r tag dir; do umount -l "$dir"; done <"$JOB/rw"
    say "exit $STATUS $(sent vport0p1) $(sent vport0p2)"
    while :; do sleep 1; done
}

case $1 in
    stage2) stage2 ;;
    *) stage1 ;;
esac
