// Read by orval, which loads its configuration as CommonJS.
module.exports = {
  plaza: {
    input: process.env.OPENAPI_DOCUMENT,
    output: {
      target: process.env.ORVAL_TARGET,
      client: 'fetch',
      headers: true,
      baseUrl: { getBaseUrlFromSpecification: true },
    },
  },
}
