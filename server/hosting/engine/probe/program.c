/*
 * The program of the probe: it runs in a separate container and prints the targets that it reaches (image.ts puts it into an image).
 * Freestanding, without a library, so that it is a few kilobytes and needs nothing in its image. Built by
 * scripts/probe-program.ts with Debian 12's gcc for x86-64 and ARM64; program.ts holds the result.
 *
 *   probe listen PORT            accepts connections; prints its IPv4 addresses, and ends after two minutes
 *   probe reach MS TARGET…       connects to each `a.b.c.d:port`, or `gateway:port` for its own gateway, all at once, and prints
 *                                a line for each: the target and what became of it within the time
 *
 *   probe sockets 0              prints the kernel's tables of TCP sockets of its network
 *
 * `connected`: it accepts connections. `refused`: the machine answers, and nothing listens. `rejected`: a firewall answered.
 * `silent`: no answer. `unreachable`: no way leads there.
 */

typedef long word;
typedef unsigned char byte;

#if defined(__x86_64__)
enum { sys_read = 0, sys_write = 1, sys_close = 3, sys_ioctl = 16, sys_socket = 41, sys_connect = 42,
       sys_recvmsg = 47, sys_bind = 49, sys_listen = 50, sys_setsockopt = 54, sys_getsockopt = 55, sys_exit_group = 231,
       sys_openat = 257, sys_ppoll = 271, sys_accept4 = 288 };
static word call(word n, word a, word b, word c, word d, word e) {
  word result;
  register word r10 __asm__("r10") = d;
  register word r8 __asm__("r8") = e;

  __asm__ volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                   : "rcx", "r11", "memory");
  return result;
}
__asm__(".globl _start\n_start:\n mov %rsp, %rdi\n and $-16, %rsp\n call begin\n");
#elif defined(__aarch64__)
enum { sys_read = 63, sys_write = 64, sys_close = 57, sys_ioctl = 29, sys_socket = 198, sys_connect = 203, sys_recvmsg = 212,
       sys_bind = 200, sys_listen = 201, sys_setsockopt = 208, sys_getsockopt = 209, sys_exit_group = 94, sys_openat = 56,
       sys_ppoll = 73, sys_accept4 = 242 };
static word call(word n, word a, word b, word c, word d, word e) {
  register word x8 __asm__("x8") = n;
  register word x0 __asm__("x0") = a;
  register word x1 __asm__("x1") = b;
  register word x2 __asm__("x2") = c;
  register word x3 __asm__("x3") = d;
  register word x4 __asm__("x4") = e;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
  return x0;
}
__asm__(".globl _start\n_start:\n mov x0, sp\n bl begin\n");
#else
#error "another processor"
#endif

enum { targets_max = 1024, listen_seconds = 120 };
enum { econnrefused = 111, einprogress = 115, enetunreach = 101, ehostunreach = 113, eacces = 13, eperm = 1 };

struct address { unsigned short family, port; byte ip[4]; byte zero[8]; };
struct pollfd { int fd; short events, revents; };
struct time { word seconds, nanoseconds; };
struct interface { char name[16]; struct address address; byte rest[8]; };
struct interfaces { int length; struct interface *first; };
struct message { void *name; int name_length; void *parts; word parts_count; void *control; word control_length; int flags; };

/* The compiler calls these by themselves. */
void *memcpy(void *to, const void *from, unsigned long n) { while (n--) ((byte *)to)[n] = ((const byte *)from)[n]; return to; }
void *memset(void *to, int value, unsigned long n) { while (n--) ((byte *)to)[n] = value; return to; }

static word length_of(const char *text) { word n = 0; while (text[n]) n++; return n; }
static void write_text(const char *text, word length) { call(sys_write, 1, (word)text, length, 0, 0); }
static void print(const char *text) { write_text(text, length_of(text)); }
static void print_number(unsigned number) {
  char text[10]; int at = 10;
  do text[--at] = '0' + number % 10; while ((number /= 10));
  write_text(text + at, 10 - at);
}
static void end(int code) { for (;;) call(sys_exit_group, code, 0, 0, 0, 0); }

/* The number at `*text`, which is moved behind it and the separator. */
static unsigned number_at(const char **text) {
  unsigned number = 0;
  while (**text >= '0' && **text <= '9') number = number * 10 + (*(*text)++ - '0');
  if (**text) (*text)++;
  return number;
}
static unsigned short network_order(unsigned port) { return (unsigned short)(port << 8 | (port >> 8 & 255)); }

static int is_gateway(const char *text) { return text[0] == 'g'; }

/* The gateway of the default route, from /proc/net/route: of columns in hexadecimal, the third of the line whose second is zero. */
static int read_gateway(byte ip[4]) {
  static char table[4096];
  word file = call(sys_openat, -100, (word)"/proc/net/route", 0, 0, 0);
  word length = file < 0 ? 0 : call(sys_read, file, (word)table, sizeof table - 1, 0, 0);
  for (word at = 0; at < length;) {
    unsigned columns[3] = { 1, 1, 0 };
    int column = 0;
    for (; at < length && table[at] != '\n'; at++) {
      char c = table[at];
      if (c == '\t') { if (++column < 3) columns[column] = 0; }
      else if (column < 3 && c > ' ') columns[column] = columns[column] * 16 + (c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    at++;
    if (column > 2 && columns[1] == 0 && columns[2] != 0) {
      for (int part = 0; part < 4; part++) ip[part] = columns[2] >> part * 8 & 255;
      return 1;
    }
  }
  return 0;
}

static int parse(const char *text, struct address *to) {
  to->family = 2;
  if (is_gateway(text)) {
    if (!read_gateway(to->ip)) return 0;
    text += 8;
  } else for (int part = 0; part < 4; part++) to->ip[part] = number_at(&text);
  to->port = network_order(number_at(&text));
  return 1;
}

/* A refusal that came as ICMP is a firewall's: it is kept for the socket; the reset of a machine is not. */
static int came_as_icmp(int fd) {
  static byte control[512];
  struct message message = { 0, 0, 0, 0, control, sizeof control, 0 };
  return call(sys_recvmsg, fd, (word)&message, 0x2000 | 0x40, 0, 0) >= 0 && message.flags & 0x2000;
}

static const char *outcome_of(int fd, int error) {
  if (error == 0) return "connected";
  if (error == econnrefused) return came_as_icmp(fd) ? "rejected" : "refused";
  if (error == eacces || error == eperm) return "rejected";
  if (error == enetunreach || error == ehostunreach) return "unreachable";
  return "silent";
}

static int reach(unsigned ms, char **texts, int count) {
  static struct pollfd all[targets_max];
  static const char *outcomes[targets_max];
  struct time left = { ms / 1000, ms % 1000 * 1000000 };
  int open = 0;
  if (count > targets_max) return 2;
  for (int at = 0; at < count; at++) {
    struct address to = { 0 };
    int on = 1;
    all[at].fd = -1;
    outcomes[at] = "unreachable";
    if (!parse(texts[at], &to)) continue;
    int fd = call(sys_socket, 2, 1 | 04000, 0, 0, 0);
    if (fd < 0) return 3;
    call(sys_setsockopt, fd, 0, 11, (word)&on, sizeof on);
    int error = -call(sys_connect, fd, (word)&to, 16, 0, 0);
    if (error != einprogress) { outcomes[at] = outcome_of(fd, error); call(sys_close, fd, 0, 0, 0, 0); continue; }
    outcomes[at] = "silent";
    all[at].fd = fd;
    all[at].events = 4;
    open++;
  }
  while (open > 0 && call(sys_ppoll, (word)all, count, (word)&left, 0, 8) > 0)
    for (int at = 0; at < count; at++) {
      if (all[at].fd < 0 || !all[at].revents) continue;
      int error = 0, size = sizeof error;
      call(sys_getsockopt, all[at].fd, 1, 4, (word)&error, (word)&size);
      outcomes[at] = outcome_of(all[at].fd, error);
      call(sys_close, all[at].fd, 0, 0, 0, 0);
      all[at].fd = -1;
      open--;
    }
  for (int at = 0; at < count; at++) { print(texts[at]); print(" "); print(outcomes[at]); print("\n"); }
  print("done\n");
  return 0;
}

static void print_addresses(int fd) {
  static struct interface all[64];
  struct interfaces found = { sizeof all, all };
  if (call(sys_ioctl, fd, 0x8912, (word)&found, 0, 0) < 0) return;
  for (word at = 0; at < found.length / (word)sizeof all[0]; at++) {
    byte *ip = all[at].address.ip;
    if (ip[0] == 127) continue;
    print("address ");
    for (int part = 0; part < 4; part++) { if (part) print("."); print_number(ip[part]); }
    print("\n");
  }
}

static int listen_at(unsigned port) {
  struct address at = { 2, network_order(port), { 0 }, { 0 } };
  struct time left = { listen_seconds, 0 };
  int fd = call(sys_socket, 2, 1, 0, 0, 0);
  if (call(sys_bind, fd, (word)&at, 16, 0, 0) < 0 || call(sys_listen, fd, 64, 0, 0, 0) < 0) return 4;
  print_addresses(fd);
  print("listening\n");
  for (;;) {
    struct pollfd waiting = { fd, 1, 0 };
    if (call(sys_ppoll, (word)&waiting, 1, (word)&left, 0, 8) <= 0) return 0;
    int accepted = call(sys_accept4, fd, 0, 0, 0, 0);
    if (accepted >= 0) call(sys_close, accepted, 0, 0, 0, 0);
  }
}

static void print_file(const char *path) {
  static char part[4096];
  word file = call(sys_openat, -100, (word)path, 0, 0, 0);
  for (int parts = 0; file >= 0 && parts < 32; parts++) {
    word length = call(sys_read, file, (word)part, sizeof part, 0, 0);
    if (length <= 0) return;
    write_text(part, length);
  }
}

/* Listeners come first in them. */
static int print_sockets(void) {
  print_file("/proc/net/tcp");
  print_file("/proc/net/tcp6");
  return 0;
}

void begin(word *stack) {
  int count = (int)stack[0];
  char **arguments = (char **)(stack + 1);
  if (count < 3) end(1);
  const char *number = arguments[2];
  unsigned value = number_at(&number);
  if (arguments[1][0] == 's') end(print_sockets());
  end(arguments[1][0] == 'l' ? listen_at(value) : reach(value, arguments + 3, count - 3));
}
