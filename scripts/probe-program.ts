// Builds server/hosting/engine/probe/program.ts from program.c, with Debian 12's gcc and gcc-aarch64-linux-gnu: run it after a
// change there. `probe.drill.test.ts` compares the result. With a folder as argument it only builds there.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = new URL('../server/hosting/engine/probe/', import.meta.url).pathname
const compilers = {
  amd64: ['gcc', '-fcf-protection=none'],
  arm64: ['aarch64-linux-gnu-gcc'],
} as const
const options = [
  '-Os',
  '-static',
  '-s',
  '-nostdlib',
  '-nostartfiles',
  '-ffreestanding',
  '-fno-builtin',
  '-fno-stack-protector',

  '-fno-asynchronous-unwind-tables',
  '-fno-pie',
  '-no-pie',
  '-fno-tree-loop-distribute-patterns',
  '-Wall',
  '-Wextra',
  '-Wl,--build-id=none,-z,noseparate-code,-z,norelro,-z,noexecstack',
]

const out = process.argv[2] ?? mkdtempSync(join(tmpdir(), 'plaza-probe-'))
const programs = Object.entries(compilers).map(([processor, [compiler, ...more]]) => {
  const path = join(out, `probe-${processor}`)
  execFileSync(compiler, [...options, ...more, '-o', path, join(folder, 'program.c')], { stdio: 'inherit' })
  return { processor, text: readFileSync(path).toString('base64') }
})

if (process.argv[2] === undefined) {
  const lines = programs.map(({ processor, text }) => `  ${processor}:\n    '${text}',`)
  writeFileSync(
    join(folder, 'program.ts'),
    `// Built from program.c by scripts/probe-program.ts; do not edit.

/** The program of the probe as a static executable for Linux, in base64, by processor. */
export const programs = {
${lines.join('\n')}
}
`,
  )
}
