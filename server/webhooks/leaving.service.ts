export { endWebhooks as endWebhooksOf, webhooks_erasure, webhooks_sections } from './leaving.store.ts'
