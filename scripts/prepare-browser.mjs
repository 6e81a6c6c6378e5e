// Prepares the browser tests: builds the console from the current sources, and prints the path of the browser, which comes as
// an npm package and is unpacked on first use by one process at a time.
import chromium from '@sparticuz/chromium'
import { withLock, buildConsole } from './build.mjs'

await buildConsole()
console.log(await withLock('dist/chromium.lock', () => chromium.executablePath()))
