import type { Declaration } from '../../contract/endpoint.ts'
import { askForProof } from '../session/proof.ts'
import { reauthenticate } from '../session/renew.ts'
import { currentSession } from '../session/session.ts'
import { downloadBlob } from '../ui/download.ts'
import { ApiError, NetworkError } from './errors.ts'

/**
 * Saves the file of an endpoint, as the signed-in user. Rejects with `ApiError` or `NetworkError`, also for an
 * incomplete file.
 */
export async function downloadFile(
  endpoint: Declaration,
  { params = {}, query = {} }: { params?: Record<string, string>; query?: Record<string, string | undefined> },
  file_name: string,
): Promise<void> {
  const session = currentSession()
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const url = `${path}?${new URLSearchParams(given).toString()}`
  try {
    const response = await fetch(url, session && { headers: { authorization: `Bearer ${session.token}` } })
    if (response.ok) return downloadBlob(file_name, await response.blob())
    if (response.status === 401 && session && (await reauthenticate(session)))
      return await downloadFile(endpoint, { params, query }, file_name)
    const error = new ApiError(response.status, response.headers, await response.json().catch(() => ({})))
    if (error.code === 'proof_required' && (await askForProof()))
      return await downloadFile(endpoint, { params, query }, file_name)
    throw error
  } catch (error) {
    throw error instanceof ApiError ? error : new NetworkError(error)
  }
}

/** The name of a CSV file saved today. */
export const csvName = (content: string) => `${content}-${new Date().toISOString().slice(0, 10)}.csv`
