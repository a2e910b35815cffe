"""What `/` shows while the pages are not built."""

from __future__ import annotations

UNBUILT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Taishi</title>
<style>
body { font: 16px/1.6 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem;
       color: #222; background: #fff; }
code, pre { font-family: ui-monospace, monospace; background: #f3f3f3; }
pre { padding: .8rem; }
@media (prefers-color-scheme: dark) {
  body { color: #ddd; background: #181818; }
  code, pre { background: #2a2a2a; }
  a { color: #8ab4f8; }
}
</style>
</head>
<body>
<h1>Taishi is running</h1>
<p>The web pages are not built here; everything else works. To build them, in a checkout of the
source (Node.js comes from PATH, else from PyPI; packages from the npm registry):</p>
<pre>make pages</pre>
<p>then load this page again. The REST interface is described at <a href="/docs">/docs</a>.</p>
<h2 lang="zh">服务已启动</h2>
<p lang="zh">网页尚未构建，其余功能不受影响。请在源码目录构建
（Node.js 取自 PATH，没有则取自 PyPI；依赖取自 npm 源）：</p>
<pre>make pages</pre>
<p lang="zh">然后刷新此页。REST 接口说明见 <a href="/docs">/docs</a>。</p>
</body>
</html>
"""
