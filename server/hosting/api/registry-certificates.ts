import { generateKeyPair, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import forge from 'node-forge'

const make = promisify(generateKeyPair)

/** A key and its certificate, each as PEM. */
export interface Certified {
  certificate: string
  private_key: string
}

export interface CertificateRequest {
  name: string
  from: Date
  until: Date
  /** Signs the certificate. Without an issuer the certificate is a self-signed root. */
  issuer?: Certified
}

/** Makes an RSA key and its certificate. */
export async function makeCertificate({ name, from, until, issuer }: CertificateRequest): Promise<Certified> {
  const { publicKey, privateKey } = await make('rsa', {
    modulusLength: 3072,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey)
  certificate.serialNumber = newSerialNumber()
  certificate.validity.notBefore = from
  certificate.validity.notAfter = until
  const subject = [{ name: 'commonName', value: name }]
  certificate.setSubject(subject)
  certificate.setIssuer(issuer ? forge.pki.certificateFromPem(issuer.certificate).subject.attributes : subject)
  certificate.setExtensions([
    { name: 'basicConstraints', cA: issuer === undefined, critical: true },
    issuer
      ? { name: 'keyUsage', digitalSignature: true, critical: true }
      : { name: 'keyUsage', keyCertSign: true, critical: true },
    { name: 'subjectKeyIdentifier' },
  ])
  certificate.sign(forge.pki.privateKeyFromPem(issuer?.private_key ?? privateKey), forge.md.sha256.create())
  return { certificate: forge.pki.certificateToPem(certificate), private_key: privateKey }
}

/** 16 bytes as hex: a positive integer without leading zeros, as DER requires. */
export const newSerialNumber = () => `4${randomBytes(16).toString('hex').slice(1)}`

/** A certificate in the format of a token's `x5c` header (RFC 7515 §4.1.6). */
export const toX5c = (certificate: string) => certificate.replaceAll(/-----[A-Z ]+-----|\s/g, '')
