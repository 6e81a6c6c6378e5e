// Lists the dependencies of the service and the packages as CycloneDX JSON: `npm run sbom`. A release does this too.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { package_root } from '../server/platform/package.ts'

interface Component {
  'bom-ref': string
  name: string
  properties?: { name: string }[]
}

interface Sbom {
  metadata: { component: Component }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

interface PackageFile {
  name: string
  version: string
  workspaces?: string[]
}

const read = (root: string, folder: string) =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as PackageFile

/** Writes one file for the service, whose image contains these packages, and one for each published package; returns their paths. */
export const writeSboms = (root: string): string[] =>
  ['.', ...(read(root, '.').workspaces ?? [])].map((folder) => writeSbom(root, folder))

/** Writes the file of the package in this folder into `dist/sbom`. It lists the production dependencies of package-lock.json. */
export function writeSbom(root: string, of: string): string {
  const folder = join(root, 'dist/sbom')
  mkdirSync(folder, { recursive: true })
  const { name, version } = read(root, of)
  const options = ['--package-lock-only', '--sbom-format=cyclonedx']
  const kind = of === '.' ? ['--workspaces=false', '--sbom-type=application'] : ['--workspace', name]
  const text = execFileSync('npm', ['sbom', ...options, ...kind], { cwd: root, encoding: 'utf8' })
  const all = without(isTool, JSON.parse(text) as Sbom)
  const sbom = of === '.' ? all : aboutPackage(all, `${name}@${version}`)
  // npm uses the folder's name.
  sbom.metadata.component.name = name
  const path = join(folder, `${name.replace(/^@/, '').replace('/', '-')}-${version}.cdx.json`)
  writeFileSync(path, `${JSON.stringify(sbom, null, 2)}\n`)
  return path
}

/** npm's `--omit=dev` also omits dependencies of the service that tools depend on. */
const isTool = ({ properties = [] }: Component) => properties.some(({ name }) => name === 'cdx:npm:package:development')

/** npm lists a workspace as a component of the root, which its package does not hold: this is about the package itself. */
function aboutPackage(sbom: Sbom, ref: string): Sbom {
  const own = sbom.components.find((component) => component['bom-ref'] === ref)
  if (own === undefined) throw new Error(`npm sbom does not list ${ref}.`)
  const root = sbom.metadata.component['bom-ref']
  return {
    ...sbom,
    metadata: { ...sbom.metadata, component: own },
    components: sbom.components.filter((component) => component !== own),
    dependencies: sbom.dependencies.filter((each) => each.ref !== root),
  }
}

function without(isLeftOut: (component: Component) => boolean, sbom: Sbom): Sbom {
  const left_out = new Set(sbom.components.filter(isLeftOut).map((component) => component['bom-ref']))
  const isKept = (ref: string) => !left_out.has(ref)
  return {
    ...sbom,
    components: sbom.components.filter((component) => isKept(component['bom-ref'])),
    dependencies: sbom.dependencies
      .filter(({ ref }) => isKept(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isKept) })),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(writeSboms(package_root).join('\n'))
