#!/bin/sh
# Keeps containers away from this host and from private networks. Docker isolates networks of apps from each other, but
# lets every container open connections to the host itself, to the networks around it and to the address where clouds
# hand out credentials. Run it as root on every container host, at every start after Docker; repeating it is harmless.
#
#   NETWORK_RANGE   as in Plaza's settings
#   RESOLVERS       name servers that containers may ask although they stand in a private network
#   SMTP            `open` lets containers send mail directly; closed otherwise
set -eu
range=${NETWORK_RANGE:-10.240.0.0/14}

# A chain of ours, filled anew, at the head of another.
hook() {
  iptables -N "$1" 2>/dev/null || iptables -F "$1"
  iptables -C "$2" -j "$1" 2>/dev/null || iptables -I "$2" 1 -j "$1"
}

iptables -N DOCKER-USER 2>/dev/null || true
hook PLAZA-OUT DOCKER-USER
hook PLAZA-HOST INPUT

for chain in PLAZA-OUT PLAZA-HOST; do
  # Answers to connections that the router opened.
  iptables -A "$chain" -m conntrack --ctstate ESTABLISHED,RELATED -j RETURN
done

# Containers of one app may talk; Docker keeps those of two apart.
iptables -A PLAZA-OUT -s "$range" -d "$range" -j RETURN

# Those of a Swarm leave their host by a bridge of Docker's, with addresses of that bridge.
for from in "-s $range" '-i docker_gwbridge'; do
  for chain in PLAZA-OUT PLAZA-HOST; do
    for resolver in ${RESOLVERS:-}; do
      iptables -A "$chain" $from -d "$resolver" -p udp --dport 53 -j RETURN
      iptables -A "$chain" $from -d "$resolver" -p tcp --dport 53 -j RETURN
    done
  done
  for private in 0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 224.0.0.0/3; do
    iptables -A PLAZA-OUT $from -d "$private" -j DROP
  done
  if [ "${SMTP:-closed}" != open ]; then iptables -A PLAZA-OUT $from -p tcp --dport 25 -j DROP; fi
  iptables -A PLAZA-HOST $from -j DROP
done
