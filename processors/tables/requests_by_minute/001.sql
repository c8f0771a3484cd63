-- Questions: how often an endpoint was called in a period, by which kinds of clients, how many bytes that were.
-- Queries filter by minute and endpoint first; rows of one minute are few.
CREATE TABLE requests_by_minute
(
    minute DateTime64(3, 'UTC') COMMENT 'The minute in which the requests were reported' CODEC(Delta, ZSTD(3)),
    endpoint LowCardinality(String) COMMENT 'Name of the endpoint; unknown for paths that do not exist',
    client LowCardinality(String) COMMENT 'Kind of program by its User-Agent: ai_agent, browser, crawler, library, monitor, other or none; mcp for a dataset that was read through an MCP call',
    agent LowCardinality(String) COMMENT 'Name of the AI agent, of a closed list; empty for other clients',
    requests UInt32 COMMENT 'Requests',
    refused UInt32 COMMENT 'Of these, answered with a status from 400 on',
    bytes UInt64 COMMENT 'Bytes of the bodies that were sent',
    instance LowCardinality(String) COMMENT 'Random name of the API process',
    sequence UInt64 COMMENT 'Number of the report within its process: a report may be there twice, under the same number' CODEC(Delta, ZSTD(3)),
    event_id String COMMENT 'Id of the log event behind the row; the same for a report that is there twice' CODEC(ZSTD(3)),
    log_offset UInt64 COMMENT 'Offset of that event in the usage topic' CODEC(Delta, ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(minute)
ORDER BY (minute, endpoint, client, instance, sequence)
COMMENT 'Requests to the API by minute, endpoint and kind of client, as each API process reported them'
