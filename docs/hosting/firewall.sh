#!/bin/sh
# Blocks connections from containers to this host and to private networks. Docker and Podman isolate networks of apps from
# each other, but let every container connect to the host itself, to the networks around it and to the metadata address of
# clouds. Run it as root on every container host, at every start; it is idempotent. plaza-firewall.service does it before the engine
# starts containers.
#
#   NETWORK_RANGE   as in Plaza's settings
#   RESOLVERS       name servers in a private network that containers may query
#   EDGE            addresses of this host at which the edge listens: containers may connect to its ports 80 and 443
#   SMTP            `open` lets containers send mail directly; closed otherwise
set -eu
range=${NETWORK_RANGE:-10.240.0.0/14}

# Podman's rules in the table filter come first and accept what containers send: the table mangle decides before them.
tables=filter
if command -v podman >/dev/null; then tables='filter mangle'; fi

# Creates or flushes a chain of a table and inserts a jump to it at the head of another.
hook() {
  iptables -t "$1" -N "$2" 2>/dev/null || iptables -t "$1" -F "$2"
  iptables -t "$1" -C "$3" -j "$2" 2>/dev/null || iptables -t "$1" -I "$3" 1 -j "$2"
}

# Adds a rule for what containers send to other machines, and one for what they send to this host.
out() { for table in $tables; do iptables -t "$table" -A PLAZA-OUT "$@"; done; }
host() { iptables -A PLAZA-HOST "$@"; }
both() {
  out "$@"
  host "$@"
}

iptables -N DOCKER-USER 2>/dev/null || true
hook filter PLAZA-OUT DOCKER-USER
if [ "$tables" != filter ]; then hook mangle PLAZA-OUT FORWARD; fi
hook filter PLAZA-HOST INPUT

# Replies on connections that the router opened.
both -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN

# Containers of one app may connect to each other; the engine isolates the networks of different apps.
out -s "$range" -d "$range" -j RETURN

# Containers of a Swarm leave their host through the bridge docker_gwbridge, with addresses of that bridge.
for from in "-s $range" '-i docker_gwbridge'; do
  for resolver in ${RESOLVERS:-}; do
    both $from -d "$resolver" -p udp --dport 53 -j RETURN
    both $from -d "$resolver" -p tcp --dport 53 -j RETURN
  done
  for edge in ${EDGE:-}; do both $from -d "$edge" -p tcp -m multiport --dports 80,443 -j RETURN; done
  for private in 0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 224.0.0.0/3; do
    out $from -d "$private" -j DROP
  done
  if [ "${SMTP:-closed}" != open ]; then out $from -p tcp --dport 25 -j DROP; fi
  host $from -j DROP
done
