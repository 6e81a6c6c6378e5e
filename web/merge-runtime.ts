import type { Plugin } from 'vite'

/** An import of the bundler's runtime, as its minifier writes it. */
const runtimeImport = (file: string) =>
  new RegExp(`import\\{([^}]*)\\}from"\\./${file.replace('assets/', '').replaceAll('.', '\\.')}";?`)

/** `a as b,c` as the inside of a destructuring: `a:b,c`. */
const asPattern = (names: string) => names.replaceAll(' as ', ':')

/**
 * Moves the bundler's runtime into `base`, which every page loads: the bundler gives it a chunk of its own, and so every page a further
 * request for half a kilobyte. Fails the build where the code does not look as expected.
 */
export const mergedRuntime: Plugin = {
  name: 'merged-runtime',
  apply: 'build',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
    const runtime = chunks.find(({ name }) => name === 'rolldown-runtime')
    const base = chunks.find(({ name }) => name === 'base')
    if (!runtime || !base) throw new Error('the build has no chunk of the runtime, or no base chunk')
    const [exported, names = ''] = /export\{([^}]*)\};?\s*$/.exec(runtime.code) ?? []
    if (exported === undefined) throw new Error('the runtime exports nothing')
    const members = names.split(',').map((one) => one.split(' as '))
    const value = `{${members.map(([local, name = local]) => `${name}:${local}`).join(',')}}`
    const held = `const __runtime=(()=>{${runtime.code.replace(exported, '')}return${value}})();`
    const pattern = runtimeImport(runtime.fileName)
    for (const chunk of chunks) {
      if (chunk === runtime) continue
      const code = chunk.code.replaceAll(`"${runtime.fileName}"`, `"${base.fileName}"`)
      const from_base = `import{__runtime}from"./${base.fileName.replace('assets/', '')}";`
      chunk.code = code.replace(
        pattern,
        (_all, wanted: string) => `${chunk === base ? held : from_base}const{${asPattern(wanted)}}=__runtime;`,
      )
      if (chunk === base) chunk.code += 'export{__runtime};'
      if (chunk.code.includes('rolldown-runtime')) throw new Error(`${chunk.fileName} still imports the runtime`)
    }
    if (!base.code.includes(held)) throw new Error('base does not import the runtime')
    delete bundle[runtime.fileName]
  },
}
