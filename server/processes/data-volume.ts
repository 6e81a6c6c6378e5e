import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import { isOnVolume } from '../platform/volumes.ts'

/**
 * With DATA_VOLUME=required, as in the image, throws if the embedded database and its generated key would be lost with the container.
 * Nothing is written before this check.
 */
export async function refuseLosingData({ data_volume, database_url, data_dir }: Config) {
  if (data_volume === 'any' || database_url !== undefined) return
  const folder = resolve(data_dir)
  if (await isOnVolume(folder)) return
  throw new Error(
    `DATA_DIR is ${folder}, which is no volume: the database in it would be lost with this container. Start with a volume ` +
      `(docker run --volume plaza:${folder} …), set DATABASE_URL, or DATA_VOLUME=any for a trial.`,
  )
}
