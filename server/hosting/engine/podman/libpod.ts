import type { CallOptions, EngineClient } from '../docker/http-client.ts'

/** The oldest version of Podman's own API that has all the calls used here. */
export const libpod_version = '4.0.0'

/** A call of Podman's own API. */
export const libpod = <Answer>(client: EngineClient, method: 'GET' | 'POST', path: string, call: CallOptions) =>
  client.call<Answer>(method, `/libpod${path}`, { ...call, version: libpod_version })
