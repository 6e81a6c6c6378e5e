import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ContentError, parseCourse, type Course } from './content.rules.ts'

/**
 * Loads the learning content of a folder, in which each `<path>.yaml` is one learning path (D-77). Throws a
 * `ContentError` with every problem, also if the folder cannot be read or has no learning path.
 */
export async function loadCourse(folder: string): Promise<Course> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new ContentError([`${folder}: the folder cannot be read (${error.code})`])
  })
  const misnamed = names.filter((name) => name.endsWith('.yml'))
  if (misnamed.length > 0)
    throw new ContentError(misnamed.map((name) => `${join(folder, name)}:1: the ending of a learning path is .yaml`))
  const yaml_names = names.filter((name) => name.endsWith('.yaml')).sort()
  if (yaml_names.length === 0) throw new ContentError([`${folder}: there is no learning path (<path>.yaml) in it`])
  return parseCourse(
    await Promise.all(
      yaml_names.map(async (name) => {
        const file = join(folder, name)
        const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
          throw new ContentError([`${file}:1: the file cannot be read (${error.code})`])
        })
        return { file, path: name.slice(0, -'.yaml'.length), text }
      }),
    ),
  )
}
