#!/bin/sh
# Blocks connections from containers to this host and to private networks. Docker isolates networks of apps from each
# other, but lets every container connect to the host itself, to the networks around it and to the metadata address of
# clouds. Run it as root on every container host, at every start after Docker; it is idempotent.
#
#   NETWORK_RANGE   as in Plaza's settings
#   RESOLVERS       name servers in a private network that containers may query
#   EDGE            addresses of this host at which the edge listens: containers may connect to its ports 80 and 443
#   SMTP            `open` lets containers send mail directly; closed otherwise
set -eu
range=${NETWORK_RANGE:-10.240.0.0/14}

# Creates or flushes a chain and inserts a jump to it at the head of another.
hook() {
  iptables -N "$1" 2>/dev/null || iptables -F "$1"
  iptables -C "$2" -j "$1" 2>/dev/null || iptables -I "$2" 1 -j "$1"
}

iptables -N DOCKER-USER 2>/dev/null || true
hook PLAZA-OUT DOCKER-USER
hook PLAZA-HOST INPUT

for chain in PLAZA-OUT PLAZA-HOST; do
  # Replies on connections that the router opened.
  iptables -A "$chain" -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN
done

# Containers of one app may connect to each other; Docker isolates the networks of different apps.
iptables -A PLAZA-OUT -s "$range" -d "$range" -j RETURN

# Containers of a Swarm leave their host through the bridge docker_gwbridge, with addresses of that bridge.
for from in "-s $range" '-i docker_gwbridge'; do
  for chain in PLAZA-OUT PLAZA-HOST; do
    for resolver in ${RESOLVERS:-}; do
      iptables -A "$chain" $from -d "$resolver" -p udp --dport 53 -j RETURN
      iptables -A "$chain" $from -d "$resolver" -p tcp --dport 53 -j RETURN
    done
  done
  for edge in ${EDGE:-}; do
    for chain in PLAZA-OUT PLAZA-HOST; do
      iptables -A "$chain" $from -d "$edge" -p tcp -m multiport --dports 80,443 -j RETURN
    done
  done
  for private in 0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 224.0.0.0/3; do
    iptables -A PLAZA-OUT $from -d "$private" -j DROP
  done
  if [ "${SMTP:-closed}" != open ]; then iptables -A PLAZA-OUT $from -p tcp --dport 25 -j DROP; fi
  iptables -A PLAZA-HOST $from -j DROP
done
