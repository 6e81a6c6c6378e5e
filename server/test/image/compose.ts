import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { package_root } from '../../platform/package.ts'

/** The label that Compose gives all containers of a project. */
export const of_project = 'label=com.docker.compose.project=plaza'

/**
 * A command in place of `docker compose`: Debian's Compose is 1.29, which has no `--wait`, asks for a terminal for `exec`, and
 * does not know `name:`. Health is asked more often than the image says, so that tests wait less.
 */
export async function composeCommand(folder: string) {
  const deploy = join(package_root, 'deploy')
  const file = join(folder, 'compose.yaml')
  const text = await readFile(join(deploy, 'compose.yaml'), 'utf8')
  if (!text.includes('\nname: plaza\n')) throw new Error('compose.yaml has another name')
  await writeFile(file, text.replace('\nname: plaza\n', '\n'))
  const often = join(folder, 'often.yaml')
  const services = ['api-1', 'api-2', 'worker', 'router', 'sandbox'].map(
    (name) => `  ${name}: { healthcheck: { interval: 2s } }\n`,
  )
  await writeFile(often, `services:\n${services.join('')}`)
  const command = join(folder, 'compose')
  await writeFile(
    command,
    `#!/bin/sh
set -eu
wait=
for word; do
  shift
  case $word in
    --wait) wait=yes ;;
    exec) set -- "$@" exec -T ;;
    *) set -- "$@" "$word" ;;
  esac
done
docker-compose --project-name plaza --project-directory ${deploy} --file ${file} --file ${often} "$@"
if [ -z "$wait" ]; then exit; fi
for second in $(seq 240); do
  if [ -z "$(docker ps --filter ${of_project} --filter health=starting --filter health=unhealthy --quiet)" ]; then exit; fi
  sleep 1
done
docker ps >&2
exit 1
`,
    { mode: 0o755 },
  )
  return command
}
