// What the browser tests need before they begin: the console built from its sources as they are, and a browser. Prints
// where the browser is. It comes as an npm package and is unpacked on first use, by one process at a time.
import chromium from '@sparticuz/chromium'
import { alone, buildConsole } from './build.mjs'

await buildConsole()
console.log(await alone('dist/chromium.lock', () => chromium.executablePath()))
