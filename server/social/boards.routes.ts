import * as contract from '../../contract/boards.ts'
import { mount, type Http } from '../http/mount.ts'
import { getBoard, setListing, type BoardsDeps } from './boards.service.ts'

export function boardRoutes(http: Http, deps: BoardsDeps) {
  mount(http, contract.getBoard, ({ caller, params, query }) =>
    getBoard(deps, caller, params.path, query.of ?? 'friends'),
  )

  mount(http, contract.setListing, async ({ caller, body: { is_listed } }) => {
    await setListing(deps, caller, is_listed)
    return { is_listed }
  })
}
