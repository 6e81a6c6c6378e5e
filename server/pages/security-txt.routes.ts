import type { FastifyInstance } from 'fastify'
import type { Clock } from '../platform/clock.ts'
import { security_txt_path, securityTxt } from './security-txt.rules.ts'

/** The contacts for security reports (RFC 9116). Without a contact, the path gets 404 like an unknown one. */
export function securityTxtRoutes(
  fastify: FastifyInstance,
  { contacts, public_url, clock }: { contacts: readonly string[]; public_url: string; clock: Clock },
) {
  if (contacts.length === 0) return
  fastify.get(security_txt_path, (_, reply) =>
    reply
      .header('cache-control', 'public, max-age=86400')
      .type('text/plain; charset=utf-8')
      .send(securityTxt(contacts, public_url, clock())),
  )
}
