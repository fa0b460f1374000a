/*
 * Load client for the ACM client protocol: N connections, one open request each, one thread. Sends the same request again and
 * again, checks that every reply arrives whole in one read with the expected length field, and prints one line of JSON.
 *
 * The server's CPU time and memory are read from /proc at the edges of the measured interval (--pid), so that they cover exactly
 * the requests counted. Latency goes into a histogram with 1/32 of an octave resolution: no allocation while measuring.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "histogram.h"
#include "wire.h"

enum { MAX_REPLY = 65536, EVENTS = 256 };

struct options {
	const char *socket_path;
	const char *host;
	int port;
	int connections;
	int idle; /* connected besides, and silent */
	double seconds;
	double warmup;
	int pid;
	int cpu;
	int any_status;
	double every_us; /* a request of each connection so often; 0: when the answer to the last is there */
	unsigned char request[MAX_MESSAGE];
	size_t length;
};

struct totals {
	uint64_t replies;
	uint64_t refused; /* status other than 0 */
	uint64_t broken;  /* short, long or mismatching replies */
};

struct server_use {
	double cpu_seconds;
	long rss_kib;
};

static double own_cpu(void)
{
	struct rusage use;
	getrusage(RUSAGE_SELF, &use);
	return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
	       (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

/* User and system time from /proc/PID/stat, resident memory from /proc/PID/statm; zeros without --pid. */
static struct server_use server_use(int pid)
{
	struct server_use use = { 0, 0 };
	char path[64], line[1024];
	unsigned long user = 0, system = 0;
	long pages = 0;
	FILE *file;

	if (!pid)
		return use;
	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (!file || !fgets(line, sizeof line, file))
		die(path);
	fclose(file);
	const char *rest = strrchr(line, ')'); /* the name may hold spaces and parentheses */
	if (!rest || sscanf(rest + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system) != 2)
		die(path);
	snprintf(path, sizeof path, "/proc/%d/statm", pid);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%*d %ld", &pages) != 1)
		die(path);
	fclose(file);
	use.cpu_seconds = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
	use.rss_kib = pages * (sysconf(_SC_PAGESIZE) / 1024);
	return use;
}

static int connect_one(const struct options *o)
{
	int fd, on = 1;

	if (o->socket_path)
		return connect_unix(o->socket_path);
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)o->port) };
	if (inet_pton(AF_INET, o->host, &address.sin_addr) != 1) {
		errno = EINVAL;
		die(o->host);
	}
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address))
		die(o->host);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	return fd;
}

static void send_request(int fd, const struct options *o)
{
	if (send(fd, o->request, o->length, MSG_NOSIGNAL) != (ssize_t)o->length)
		die("send");
}

/* The length field is in host order in RESOLVE messages, else in network order. */
static size_t length_field(const unsigned char *reply)
{
	uint16_t raw;
	memcpy(&raw, reply + 6, 2);
	return (reply[1] & 0x0f) == 1 ? raw : ntohs(raw);
}

static void take_reply(int fd, const struct options *o, struct totals *totals)
{
	static unsigned char reply[MAX_REPLY];
	ssize_t got = recv(fd, reply, sizeof reply, 0);

	if (got < 0)
		die("recv");
	if (got == 0) {
		errno = ECONNRESET;
		die("the server closed the connection");
	}
	totals->replies++;
	if (got < HEADER || (size_t)got != length_field(reply))
		totals->broken++;
	else if (reply[2] && !o->any_status)
		totals->refused++;
}

/* A single client waits in recv, as the stock clients do. */
static void run_one(int fd, const struct options *o, uint64_t end, struct histogram *h, struct totals *totals)
{
	uint64_t start = now_ns();

	while (start < end) {
		send_request(fd, o);
		take_reply(fd, o, totals);
		uint64_t done = now_ns();
		histogram_add(h, done - start);
		start = done;
	}
}

static void run_many(int poll, uint64_t *sent, const struct options *o, uint64_t end, struct histogram *h,
		     struct totals *totals)
{
	struct epoll_event events[EVENTS];
	uint64_t now = now_ns();

	while (now < end) {
		int n = epoll_wait(poll, events, EVENTS, 100);
		if (n < 0 && errno != EINTR)
			die("epoll_wait");
		for (int i = 0; i < n; i++) {
			int fd = events[i].data.fd;
			take_reply(fd, o, totals);
			now = now_ns();
			histogram_add(h, now - sent[fd]);
			send_request(fd, o);
			sent[fd] = now;
		}
		if (n <= 0)
			now = now_ns();
	}
}

/*
 * Each connection asks every `every_us`, the connections one after the other; one that has no answer yet is left out. Latency is from
 * the call that sent to the one that received.
 */
static void run_paced(int poll, const int *fds, uint64_t *sent, const struct options *o, uint64_t end, struct histogram *h,
		      struct totals *totals)
{
	struct epoll_event events[EVENTS];
	uint64_t gap = (uint64_t)(o->every_us * 1e3) / (uint64_t)o->connections;
	uint64_t now = now_ns(), due = now;
	int next = 0;

	while (now < end) {
		for (; due <= now; due += gap, next = (next + 1) % o->connections) {
			int fd = fds[next];
			if (sent[fd])
				continue;
			sent[fd] = now_ns();
			send_request(fd, o);
		}
		struct timespec wait = { 0, (long)(due - now < 1000000 ? due - now : 1000000) };
		int n = epoll_pwait2(poll, events, EVENTS, &wait, NULL);
		if (n < 0 && errno != EINTR)
			die("epoll_pwait2");
		for (int i = 0; i < n; i++) {
			int fd = events[i].data.fd;
			take_reply(fd, o, totals);
			histogram_add(h, now_ns() - sent[fd]);
			sent[fd] = 0;
		}
		now = now_ns();
	}
}

static void usage(void)
{
	fprintf(stderr, "usage: load-client (--socket PATH | --host IPV4 --port N) --request HEX [--connections N]\n"
			"                   [--seconds S] [--warmup S] [--pid SERVER] [--cpu N] [--idle N] [--any-status]\n"
			"                   [--every-us N]\n");
	exit(2);
}

static struct options parse(int argc, char **argv)
{
	static const struct option names[] = {
		{ "socket", 1, 0, 's' },  { "host", 1, 0, 'h' },   { "port", 1, 0, 'p' },
		{ "request", 1, 0, 'r' }, { "connections", 1, 0, 'n' }, { "seconds", 1, 0, 't' },
		{ "warmup", 1, 0, 'w' },  { "pid", 1, 0, 'i' },    { "cpu", 1, 0, 'c' },
		{ "idle", 1, 0, 'd' },    { "any-status", 0, 0, 'a' },
		{ "every-us", 1, 0, 'e' }, { 0, 0, 0, 0 },
	};
	struct options o = { .connections = 1, .seconds = 2, .warmup = 0.5, .cpu = -1 };
	int c;

	while ((c = getopt_long(argc, argv, "", names, NULL)) != -1) {
		switch (c) {
		case 's': o.socket_path = optarg; break;
		case 'h': o.host = optarg; break;
		case 'p': o.port = atoi(optarg); break;
		case 'r': o.length = parse_hex(optarg, o.request); break;
		case 'n': o.connections = atoi(optarg); break;
		case 't': o.seconds = atof(optarg); break;
		case 'w': o.warmup = atof(optarg); break;
		case 'i': o.pid = atoi(optarg); break;
		case 'c': o.cpu = atoi(optarg); break;
		case 'd': o.idle = atoi(optarg); break;
		case 'a': o.any_status = 1; break;
		case 'e': o.every_us = atof(optarg); break;
		default: usage();
		}
	}
	if ((!o.socket_path && !o.host) || !o.length || o.connections < 1 || o.seconds <= 0)
		usage();
	return o;
}

int main(int argc, char **argv)
{
	struct options o = parse(argc, argv);
	struct histogram *h = calloc(1, sizeof *h);
	struct totals totals = { 0, 0, 0 };

	run_on(o.cpu);
	allow_many_files();
	int poll = epoll_create1(EPOLL_CLOEXEC);
	int *fds = calloc((size_t)o.connections, sizeof *fds);
	uint64_t *sent = calloc((size_t)o.connections + 4096, sizeof *sent); /* by descriptor */
	if (poll < 0 || !fds || !sent || !h)
		die("out of resources");
	/* Behind the busy ones, so that those have the low descriptors. */
	for (int i = 0; i < o.connections; i++) {
		fds[i] = connect_one(&o);
		if (fds[i] >= o.connections + 4096) {
			errno = EMFILE;
			die("descriptor");
		}
		struct epoll_event event = { .events = EPOLLIN, .data.fd = fds[i] };
		if (epoll_ctl(poll, EPOLL_CTL_ADD, fds[i], &event))
			die("epoll_ctl");
	}
	for (int i = 0; i < o.idle; i++)
		connect_one(&o);
	if (o.connections > 1 && o.every_us == 0)
		for (int i = 0; i < o.connections; i++) {
			sent[fds[i]] = now_ns();
			send_request(fds[i], &o);
		}

	for (int measured = 0; measured < 2; measured++) {
		double span = measured ? o.seconds : o.warmup;
		struct server_use before, after;
		memset(h, 0, sizeof *h);
		memset(&totals, 0, sizeof totals);
		before = server_use(o.pid);
		double cpu = own_cpu();
		uint64_t start = now_ns(), end = start + (uint64_t)(span * 1e9);
		if (o.every_us > 0)
			run_paced(poll, fds, sent, &o, end, h, &totals);
		else if (o.connections == 1)
			run_one(fds[0], &o, end, h, &totals);
		else
			run_many(poll, sent, &o, end, h, &totals);
		double took = (double)(now_ns() - start) / 1e9;
		cpu = own_cpu() - cpu;
		after = server_use(o.pid);
		if (!measured)
			continue;
		double replies = totals.replies ? (double)totals.replies : 1;
		printf("{\"connections\":%d,\"seconds\":%.3f,\"replies\":%llu,\"refused\":%llu,\"broken\":%llu,"
		       "\"requestsPerSecond\":%.0f,\"p50us\":%.2f,\"p99us\":%.2f,\"maxUs\":%.2f,"
		       "\"clientCpuShare\":%.3f,\"clientCpuPerRequestUs\":%.3f",
		       o.connections, took, (unsigned long long)totals.replies, (unsigned long long)totals.refused,
		       (unsigned long long)totals.broken, replies / took, histogram_at(h, 0.5) / 1e3,
		       histogram_at(h, 0.99) / 1e3, (double)h->max / 1e3, cpu / took, cpu / replies * 1e6);
		if (o.pid)
			printf(",\"cpuPerRequestUs\":%.3f,\"serverCpuShare\":%.3f,\"serverRssKiB\":%ld",
			       (after.cpu_seconds - before.cpu_seconds) / replies * 1e6,
			       (after.cpu_seconds - before.cpu_seconds) / took, after.rss_kib);
		printf("}\n");
	}
	/* Leaves nothing under way: the next run finds servers that are done with this one. */
	if (o.connections > 1)
		for (int i = 0; i < o.connections; i++)
			if (sent[fds[i]])
				take_reply(fds[i], &o, &totals);
	return totals.broken ? 1 : 0;
}
