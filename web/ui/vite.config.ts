import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

// Files go where the server looks for them; their names carry a hash, so they can be cached for ever.
export default defineConfig({
  base: "/ui/",
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  // The client's sources: its package is compiled for others.
  resolve: { alias: { "@taishi/client": fileURLToPath(new URL("../client/src/index.ts", import.meta.url)) } },
  build: {
    outDir: "../../src/taishi/server/pages/static",
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  server: { proxy: { "/v1": "http://127.0.0.1:8321", "/ui/session": "http://127.0.0.1:8321" } },
});
