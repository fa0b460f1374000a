/*
 * Clients of the ACM client protocol that make trouble: some ask and never read, some leave half a message, and many connect and go, one
 * of three at once, one after a question whose answer it does not wait for, one in the middle of a message. Prints "there" once the first
 * two kinds stand, and, when all that come and go have gone, how many seconds that took; those that stay stay until its input ends.
 *
 * disturb --socket PATH --request HEX [--unread N] [--half N] [--cycles N] [--per-second N] [--cpu N]
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <getopt.h>
#include <unistd.h>

#include "wire.h"

struct options {
	const char *socket_path;
	int unread, half, cycles, per_second, cpu;
	unsigned char request[MAX_MESSAGE];
	size_t length;
};

static struct options parse(int argc, char **argv)
{
	static const struct option names[] = {
		{ "socket", 1, 0, 's' }, { "request", 1, 0, 'r' },    { "unread", 1, 0, 'u' }, { "half", 1, 0, 'h' },
		{ "cycles", 1, 0, 'c' }, { "per-second", 1, 0, 'p' }, { "cpu", 1, 0, 'a' },    { 0, 0, 0, 0 },
	};
	struct options o = { .per_second = 1000, .cpu = -1 };
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		switch (c) {
		case 's': o.socket_path = optarg; break;
		case 'r': o.length = parse_hex(optarg, o.request); break;
		case 'u': o.unread = atoi(optarg); break;
		case 'h': o.half = atoi(optarg); break;
		case 'c': o.cycles = atoi(optarg); break;
		case 'p': o.per_second = atoi(optarg); break;
		case 'a': o.cpu = atoi(optarg); break;
		default: exit(2);
		}
	}
	if (!o.socket_path || !o.length || o.per_second < 1)
		exit(2);
	return o;
}

/* Asks until no more goes in. */
static void ask_and_never_read(const struct options *o)
{
	int fd = connect_unix(o->socket_path);

	for (int i = 0; i < 100000; i++)
		if (send(fd, o->request, o->length, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)o->length)
			return;
}

static void come_and_go(const struct options *o, int turn)
{
	int fd = connect_unix(o->socket_path);
	size_t size = turn % 3 == 0 ? 0 : turn % 3 == 1 ? o->length : o->length / 2;

	if (size > 0 && send(fd, o->request, size, MSG_NOSIGNAL) != (ssize_t)size)
		die("send");
	close(fd);
}

int main(int argc, char **argv)
{
	struct options o = parse(argc, argv);
	char ignored;

	run_on(o.cpu);
	allow_many_files();
	for (int i = 0; i < o.unread; i++)
		ask_and_never_read(&o);
	for (int i = 0; i < o.half; i++) {
		int fd = connect_unix(o.socket_path);
		if (send(fd, o.request, o.length / 2, MSG_NOSIGNAL) < 0)
			die("send");
	}
	printf("there\n");
	fflush(stdout);
	uint64_t start = now_ns(), gap = 1000000000u / (uint64_t)o.per_second;
	for (int i = 0; i < o.cycles; i++) {
		uint64_t due = start + gap * (uint64_t)i, now = now_ns();
		if (due > now) {
			struct timespec wait = { (time_t)((due - now) / 1000000000u), (long)((due - now) % 1000000000u) };
			nanosleep(&wait, NULL);
		}
		come_and_go(&o, i);
	}
	if (o.cycles > 0) {
		printf("%.2f\n", (double)(now_ns() - start) / 1e9);
		fflush(stdout);
	}
	while (read(0, &ignored, 1) > 0)
		;
	return 0;
}
