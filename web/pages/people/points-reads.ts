import { me } from '../../../contract/accounts.ts'
import { myPointsHistory, pointsSeries } from '../../../contract/points.ts'
import { listPointRequests } from '../../../contract/sending.ts'

/** The reads that change when points move. */
export const points_reads = [me, myPointsHistory, pointsSeries, listPointRequests]
