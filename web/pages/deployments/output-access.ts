import { followDeploymentOutput, searchDeploymentOutput } from '../../../contract/deployments.ts'
import { appAuthorization, callAsApp, discardAccess } from '../build/access.ts'
import type { OutputAccess } from './output.ts'

/** Reads the output as the app. */
export const outputAsApp = (app_id: string, id: string): OutputAccess => ({
  key: `${app_id} ${id}`,
  search: (query) => callAsApp(app_id, searchDeploymentOutput, { params: { id }, query }),
  stream: {
    path: followDeploymentOutput.path.replace('{id}', id),
    authorization: () => appAuthorization(app_id),
    refused: (authorization) => discardAccess(app_id, authorization),
  },
})
