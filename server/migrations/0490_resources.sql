-- The resource that a code and its grant are for (RFC 8707): the MCP server (D-156), or null for the API.
alter table authorization_codes add column resource text check (resource = 'mcp');
alter table grants add column resource text check (resource = 'mcp');
