import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { package_root } from '../platform/package.ts'

const read = (path: string) => readFile(join(package_root, path), 'utf8')

/** Mailed in any case: what an admin did to a person. */
const always_mailed = 'mail.moderation'

test('D-119: every mail of a kind that can be turned off leads to the page where it is, in every language', async () => {
  const files = (await readdir(join(package_root, 'server'), { recursive: true })).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  )
  const sources = await Promise.all(files.map((file) => read(`server/${file}`)))
  const named = sources
    .filter((source) => /wantsMail\(deps|wantsMail\(db|'mail\.notices\.text'/.test(source))
    .flatMap((source) => [...source.matchAll(/'(mail\.[a-z-]+)(?:\.text)?'/g)].map(([, name]) => `${name}.text`))
  const languages = (await readdir(join(package_root, 'languages'))).filter((name) => name.endsWith('.json'))
  for (const language of languages) {
    const texts = JSON.parse(await read(`languages/${language}`)) as Record<string, string>
    const mails = [...new Set(named)].filter((key) => key in texts && key !== `${always_mailed}.text`)
    expect(mails).toHaveLength(12)
    expect(mails.filter((key) => !texts[key]?.includes(': {issuer}/account/notices\n'))).toEqual([])
  }
})
