-- Run by the image of compose.yaml, as the superuser, when its volume is new: Taishi's role is an
-- ordinary one, or row-level security would not bind it (docs/how-to/postgres.md).
\set password `cat /run/secrets/DATABASE_PASSWORD`
CREATE ROLE taishi LOGIN PASSWORD :'password' NOSUPERUSER NOBYPASSRLS;
CREATE DATABASE taishi OWNER taishi ENCODING 'UTF8' TEMPLATE template0;
\connect taishi
CREATE EXTENSION IF NOT EXISTS vector;
