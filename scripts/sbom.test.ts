import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { package_root, package_version } from '../server/platform/package.ts'
import { writeSboms } from './sbom.ts'

interface Sbom {
  specVersion: string
  metadata: { component: { name: string; version: string; purl: string } }
  components: { purl: string }[]
}

const read = async (path: string) => JSON.parse(await readFile(path, 'utf8')) as unknown

/** Validates a document against the schema that CycloneDX publishes. */
async function cycloneDx() {
  const folder = join(package_root, 'node_modules/@cyclonedx/cyclonedx-library/res/schema')
  const schema = (name: string) => read(join(folder, `${name}.SNAPSHOT.schema.json`)) as Promise<object>
  const ajv = new Ajv({ strict: false })
  for (const name of ['spdx', 'jsf-0.82'])
    ajv.addSchema({ ...(await schema(name)), $id: `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json` })
  addFormats.default(ajv)
  for (const format of ['iri-reference', 'idn-email']) ajv.addFormat(format, true)
  return ajv.compile(await schema('bom-1.5'))
}

test('the SBOMs are valid CycloneDX, and list every production dependency and no other', async () => {
  const root = await mkdtemp(join(tmpdir(), 'plaza-sbom-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const { workspaces } = (await read(join(package_root, 'package.json'))) as { workspaces: string[] }
  for (const folder of workspaces) await mkdir(join(root, folder))
  for (const path of ['package.json', 'package-lock.json', ...workspaces.map((folder) => `${folder}/package.json`)])
    await cp(join(package_root, path), join(root, path))
  const paths = writeSboms(root)
  expect(paths.map((path) => basename(path))).toContain(`plaza-client-${package_version}.cdx.json`)
  const isValid = await cycloneDx()
  const sboms = (await Promise.all(paths.map(read))) as Sbom[]
  for (const sbom of sboms) expect([isValid(sbom), isValid.errors, sbom.specVersion]).toEqual([true, null, '1.5'])

  const [plaza, ...packages] = sboms
  expect(plaza!.metadata.component).toMatchObject({ name: 'plaza', version: package_version })
  const own = (await read(join(package_root, 'package.json'))) as Record<string, Record<string, string>>
  const purls = new Set(plaza!.components.map(({ purl }) => purl))
  const purlOf = ([name, version]: [string, string]) => `pkg:npm/${name.replace('@', '%40')}@${version}`
  const dependencies = Object.entries(own.dependencies!).map(purlOf)
  expect(dependencies.filter((purl) => !purls.has(purl))).toEqual([])
  // A package may also be an indirect dependency.
  expect(purls.has(purlOf(['vitest', own.devDependencies!.vitest!]))).toBe(false)
  // Those of the packages are about the packages, not about this repository.
  const of_packages = packages.map(({ metadata, components }) => [
    metadata.component.purl,
    components.map(({ purl }) => purl),
  ])
  const cli = (await read(join(package_root, 'cli/package.json'))) as typeof own
  expect(of_packages).toEqual([
    [`pkg:npm/%40plaza/client@${package_version}`, []],
    [`pkg:npm/%40plaza/cli@${package_version}`, expect.arrayContaining(Object.entries(cli.dependencies!).map(purlOf))],
  ])
  expect(isValid({ ...plaza, components: [{ type: 'library' }] })).toBe(false)
})
