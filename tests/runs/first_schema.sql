CREATE TABLE deliveries (
    number INTEGER NOT NULL,
    id VARCHAR(100) NOT NULL,
    event VARCHAR(100) NOT NULL,
    content_type VARCHAR(100) NOT NULL,
    body BLOB NOT NULL,
    received_at FLOAT NOT NULL,
    state VARCHAR(10) NOT NULL,
    note TEXT NOT NULL,
    PRIMARY KEY (number),
    UNIQUE (id)
);
CREATE INDEX deliveries_state ON deliveries (state, number);
CREATE TABLE runs (
    repository VARCHAR(200) NOT NULL,
    issue INTEGER NOT NULL,
    run_id VARCHAR(100) NOT NULL,
    title TEXT NOT NULL,
    pull_request INTEGER NOT NULL,
    phase VARCHAR(20) NOT NULL,
    outcome VARCHAR(40) NOT NULL,
    waits_for VARCHAR(20) NOT NULL,
    ref_commit VARCHAR(64) NOT NULL,
    updated_at FLOAT NOT NULL,
    PRIMARY KEY (repository, issue)
);
CREATE INDEX runs_pull_request ON runs (repository, pull_request);
CREATE TABLE sweeps (
    repository VARCHAR(200) NOT NULL,
    heard_until FLOAT NOT NULL,
    PRIMARY KEY (repository)
);
CREATE TABLE tasks (
    number INTEGER NOT NULL,
    repository VARCHAR(200) NOT NULL,
    installation INTEGER NOT NULL,
    event TEXT NOT NULL,
    due FLOAT NOT NULL,
    taken BOOLEAN NOT NULL,
    attempts INTEGER NOT NULL,
    trouble TEXT NOT NULL,
    PRIMARY KEY (number)
);
CREATE INDEX tasks_due ON tasks (due);
CREATE INDEX tasks_repository ON tasks (repository, taken);
INSERT INTO deliveries (id, event, content_type, body, received_at, state, note)
VALUES ('d-1', 'issues', 'application/json', x'7b7d', 1790000000.0, 'stored', '');
INSERT INTO tasks (repository, installation, event, due, taken, attempts, trouble) VALUES
('ann/tally', 7, '{"repository":"ann/tally","installation":7,"kind":"woken","issue":4,"why":"poll"}',
 1790000060.0, 0, 0, ''),
('ann/tally', 7,
 '{"repository":"ann/tally","installation":7,"kind":"commanded","number":9,"on_pull":true,"comment":31}',
 1790000000.0, 1, 2, 'no network');
INSERT INTO runs VALUES ('ann/tally', 4, 'rw4-0123456789', 'Tally', 9, 'check', '', 'check', '',
 1790000000.0);
INSERT INTO sweeps VALUES ('ann/tally', 1790000000.0);
