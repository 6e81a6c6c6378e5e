import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { listTestPersons, signInAsTestPerson } from '../../../contract/sandbox.ts'
import { callApi, callWithToken, type AnswerOf } from '../../api/call.ts'
import { queryKeyOf } from '../../api/hooks.ts'
import { confirmSignOut } from '../../ui/unsaved.ts'
import { actAs, ownSession } from './acting.ts'

export type TestPerson = AnswerOf<typeof listTestPersons>['persons'][number]

/** The user's test persons, even while signed in as one of them. */
export function useTestPersons(): UseQueryResult<AnswerOf<typeof listTestPersons>> {
  const own = ownSession()
  return useQuery({
    queryKey: queryKeyOf(listTestPersons, {}),
    queryFn: () => (own ? callWithToken(own.token, listTestPersons) : callApi(listTestPersons)),
  })
}

/** Signs in as a test person, unless the user keeps unsaved changes. Rejects with `ApiError` or `NetworkError`. */
export async function switchTo(person: { id: string }) {
  if (await confirmSignOut()) await signInAs(person)
}

/** Signs in as a test person. Rejects with `ApiError` or `NetworkError`. */
export async function signInAs({ id }: { id: string }) {
  const own = ownSession()
  const input = { params: { id } }
  actAs(await (own ? callWithToken(own.token, signInAsTestPerson, input) : callApi(signInAsTestPerson, input)))
}
