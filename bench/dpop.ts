import { newProver } from '../server/test/dpop.ts'
import { compare, type Figure } from './lib/figure.ts'
import { answeredLoad } from './lib/load.ts'
import { postmasterOf, processorSeconds } from './lib/processor-time.ts'
import { rawRequest } from './lib/raw.ts'
import { seeded, startBenchService, tokenOf, type World } from './lib/world.ts'

const path = '/api/external/points'
const keys = 50
/** More than a round sends: a proof is used once. */
const proofs_of_a_round = 12_000
const seconds = 2

/**
 * The processor time of a points read with DPoP (ES256), of the service and PostgreSQL, beside one with a Bearer token. The proofs of a round
 * are made before it.
 */
export async function benchDpop({ closers, database, postgres }: World): Promise<Figure> {
  const { port, pid, issuer } = await startBenchService(closers, database)
  const postmaster = await postmasterOf(postgres.folder)
  const provers = await Promise.all(Array.from({ length: keys }, () => newProver()))
  for (const [n, { jkt }] of provers.entries())
    await database.pool.query(`update access_tokens set jkt = $1 where token_hash = sha256($2::bytea)`, [
      jkt,
      seeded.accessToken(n),
    ])
  const requests = async () => {
    const asked = await fetch(`${issuer}/api/oauth/token`, { method: 'POST', headers: { dpop: 'x' } })
    const nonce = asked.headers.get('dpop-nonce') ?? ''
    return Promise.all(
      Array.from({ length: proofs_of_a_round }, async (_, at) => {
        const access_token = seeded.accessToken(at % keys)
        const dpop = await provers[at % keys]!.proof({ url: issuer + path, access_token, nonce })
        return rawRequest('GET', path, { authorization: `DPoP ${access_token}`, dpop })
      }),
    )
  }
  const bearer = Array.from({ length: 1_000 }, (_, n) => rawRequest('GET', path, tokenOf(keys + n)))
  const cost = async (sent: string[]) => {
    const used = async () => (await processorSeconds(pid)) + (await processorSeconds(postmaster))
    const before = await used()
    const { answers } = await answeredLoad({ port, requests: sent, seconds })
    return (((await used()) - before) * 1_000_000) / answers
  }
  return compare(
    {
      name: 'processor time of a points read with DPoP (ES256), service and PostgreSQL',
      other: 'with a Bearer token',
      must: 2.5,
      sense: 'at_most',
      text: (value) => `${value.toFixed(0)} µs`,
    },
    async () => cost(await requests()),
    () => cost(bearer),
  )
}
