import type { ReactNode } from 'react'
import type { Declaration } from '../../contract/endpoint.ts'
import { may } from './roles.ts'
import { currentSession, useSession } from './session.ts'

/** Whether the person may make the call, outside components. */
export const mayNow = (call: Declaration) => may(currentSession()?.user, call)

/** Whether the person may make the call (D-135). */
export const useMay = (call: Declaration) => may(useSession().session?.user, call)

/** Shows its children to people who may make the call. */
export const May = ({ call, children }: { call: Declaration; children: ReactNode }) => useMay(call) && children
