export { ads_sections } from './leaving.store.ts'
