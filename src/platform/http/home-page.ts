/** The page at `/`: what runs here and where to go on. Says nothing that a stranger may not know. */
export function homePage(deps: { version: string; hasMetrics: boolean }): string {
  const metrics = '<li><a href="/metrics">Metrics</a> for Prometheus</li>';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley</title>
<link rel="stylesheet" href="/home.css">
</head>
<body>
<main>
<h1>Parley <small>${deps.version}</small></h1>
<p>Conversational agents with versions you can roll back, and events you cannot lose.</p>
<ul>
<li><a href="/docs">The API</a>, to read and to try</li>
<li><a href="/v1/openapi.json">Its description</a> in OpenAPI 3.1, for programs</li>
${deps.hasMetrics ? metrics : ''}
</ul>
<h2>First steps</h2>
<p>Your API key was printed when Parley started; README.md has more.</p>
<pre><code>export PARLEY_URL=http://127.0.0.1:8080   # where this page is
export PARLEY_API_KEY=parley_…

# Make an agent
curl -s "$PARLEY_URL/v1/agents" -H "Authorization: Bearer $PARLEY_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"display_name": "Support", "prompt": "You help customers of a bicycle shop."}'

# See what happened, and where it was delivered
curl -s "$PARLEY_URL/v1/events" -H "Authorization: Bearer $PARLEY_API_KEY"
</code></pre>
</main>
</body>
</html>
`;
}

export const HOME_STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; color: #1c2024; background: #fcfcfd; }
main { max-width: 44rem; margin: 4rem auto; padding: 0 1.5rem; }
h1 small { font-weight: normal; color: #60646c; font-size: 1rem; }
a { color: #0d74ce; }
pre { background: #f0f0f3; padding: 1rem; overflow-x: auto; border-radius: 6px; }
@media (prefers-color-scheme: dark) {
  body { color: #edeef0; background: #111113; }
  h1 small { color: #b0b4ba; }
  a { color: #70b8ff; }
  pre { background: #212225; }
}
`;
