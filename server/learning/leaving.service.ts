export { learning_erasure, learning_sections } from './leaving.store.ts'
