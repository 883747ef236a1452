-- Tables of the embedded GitHub, one per model in rows.py. Times are ISO 8601 in UTC;
-- lists and objects are JSON.

CREATE TABLE IF NOT EXISTS accounts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    login TEXT NOT NULL COLLATE NOCASE,
    kind TEXT NOT NULL,
    name TEXT,
    email TEXT,
    created_at TEXT NOT NULL,
    UNIQUE (login)
);

CREATE TABLE IF NOT EXISTS memberships (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id INTEGER NOT NULL,
    account_id INTEGER NOT NULL,
    UNIQUE (organization_id, account_id)
);

CREATE TABLE IF NOT EXISTS apps (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    slug TEXT NOT NULL COLLATE NOCASE,
    name TEXT NOT NULL COLLATE NOCASE,
    client_id TEXT NOT NULL,
    owner_id INTEGER NOT NULL,
    bot_id INTEGER NOT NULL,
    public_key TEXT NOT NULL,
    permissions TEXT NOT NULL,
    events TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (slug)
);

CREATE TABLE IF NOT EXISTS installations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    app_id INTEGER NOT NULL,
    account_id INTEGER NOT NULL,
    all_repositories INTEGER NOT NULL,
    repository_ids TEXT NOT NULL,
    permissions TEXT NOT NULL,
    events TEXT NOT NULL,
    suspended_at TEXT,
    created_at TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    digest TEXT NOT NULL,
    kind TEXT NOT NULL,
    account_id INTEGER NOT NULL,
    scopes TEXT NOT NULL,
    permissions TEXT NOT NULL,
    repository_ids TEXT NOT NULL,
    installation_id INTEGER,
    run_id INTEGER,
    expires_at TEXT,
    created_at TEXT NOT NULL,
    UNIQUE (digest)
);

CREATE TABLE IF NOT EXISTS repositories (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner_id INTEGER NOT NULL,
    owner TEXT NOT NULL COLLATE NOCASE,
    name TEXT NOT NULL COLLATE NOCASE,
    description TEXT,
    homepage TEXT,
    private INTEGER NOT NULL,
    archived INTEGER NOT NULL,
    default_branch TEXT NOT NULL,
    has_issues INTEGER NOT NULL,
    topics TEXT NOT NULL,
    allow_merge_commit INTEGER NOT NULL,
    allow_squash_merge INTEGER NOT NULL,
    allow_rebase_merge INTEGER NOT NULL,
    delete_branch_on_merge INTEGER NOT NULL,
    actions_may_approve INTEGER NOT NULL,
    last_number INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    pushed_at TEXT,
    UNIQUE (owner, name)
);

CREATE TABLE IF NOT EXISTS redirects (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner TEXT NOT NULL COLLATE NOCASE,
    name TEXT NOT NULL COLLATE NOCASE,
    repository_id INTEGER NOT NULL,
    UNIQUE (owner, name)
);

CREATE TABLE IF NOT EXISTS collaborators (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL,
    account_id INTEGER NOT NULL,
    permission TEXT NOT NULL,
    UNIQUE (repository_id, account_id)
);

CREATE TABLE IF NOT EXISTS protections (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL,
    branch TEXT NOT NULL,
    settings TEXT NOT NULL,
    UNIQUE (repository_id, branch)
);

CREATE TABLE IF NOT EXISTS labels (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL,
    name TEXT NOT NULL COLLATE NOCASE,
    color TEXT NOT NULL,
    description TEXT,
    "default" INTEGER NOT NULL,
    UNIQUE (repository_id, name)
);

CREATE TABLE IF NOT EXISTS milestones (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    title TEXT NOT NULL,
    description TEXT,
    state TEXT NOT NULL,
    author_id INTEGER NOT NULL,
    due_on TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    closed_at TEXT,
    UNIQUE (repository_id, number)
);

CREATE TABLE IF NOT EXISTS issues (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    title TEXT NOT NULL,
    body TEXT,
    author_id INTEGER NOT NULL,
    app_id INTEGER,
    state TEXT NOT NULL,
    state_reason TEXT,
    locked INTEGER NOT NULL,
    lock_reason TEXT,
    is_pull INTEGER NOT NULL,
    label_ids TEXT NOT NULL,
    assignee_ids TEXT NOT NULL,
    milestone_id INTEGER,
    closed_by_id INTEGER,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    closed_at TEXT,
    UNIQUE (repository_id, number)
);

CREATE TABLE IF NOT EXISTS lost_issues (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    to_repository_id INTEGER,
    to_number INTEGER,
    UNIQUE (repository_id, number)
);

CREATE TABLE IF NOT EXISTS comments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL,
    issue_id INTEGER NOT NULL,
    author_id INTEGER NOT NULL,
    app_id INTEGER,
    body TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS comments_issue_id ON comments (issue_id);

CREATE TABLE IF NOT EXISTS reactions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    subject TEXT NOT NULL,
    subject_id INTEGER NOT NULL,
    account_id INTEGER NOT NULL,
    content TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (subject, subject_id, account_id, content)
);

CREATE TABLE IF NOT EXISTS timeline_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL,
    issue_id INTEGER NOT NULL,
    actor_id INTEGER NOT NULL,
    event TEXT NOT NULL,
    detail TEXT NOT NULL,
    created_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS timeline_events_issue_id ON timeline_events (issue_id);

CREATE TABLE IF NOT EXISTS pulls (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL,
    issue_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    head_repository_id INTEGER,
    head_ref TEXT NOT NULL,
    head_sha TEXT NOT NULL,
    base_ref TEXT NOT NULL,
    base_sha TEXT NOT NULL,
    draft INTEGER NOT NULL,
    maintainer_can_modify INTEGER NOT NULL,
    requested_reviewer_ids TEXT NOT NULL,
    merged_at TEXT,
    merged_by_id INTEGER,
    merge_commit_sha TEXT,
    UNIQUE (repository_id, number),
    UNIQUE (issue_id)
);

CREATE TABLE IF NOT EXISTS reviews (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL,
    pull_id INTEGER NOT NULL,
    author_id INTEGER NOT NULL,
    body TEXT NOT NULL,
    state TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    submitted_at TEXT
);
CREATE INDEX IF NOT EXISTS reviews_pull_id ON reviews (pull_id);

CREATE TABLE IF NOT EXISTS review_comments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL,
    pull_id INTEGER NOT NULL,
    review_id INTEGER NOT NULL,
    author_id INTEGER NOT NULL,
    path TEXT NOT NULL,
    body TEXT NOT NULL,
    commit_id TEXT NOT NULL,
    original_commit_id TEXT NOT NULL,
    diff_hunk TEXT NOT NULL,
    position INTEGER,
    original_position INTEGER,
    line INTEGER,
    original_line INTEGER,
    side TEXT NOT NULL,
    start_line INTEGER,
    original_start_line INTEGER,
    start_side TEXT,
    subject_type TEXT NOT NULL,
    in_reply_to_id INTEGER,
    resolved INTEGER NOT NULL,
    resolved_by_id INTEGER,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS review_comments_pull_id ON review_comments (pull_id);

CREATE TABLE IF NOT EXISTS check_suites (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL,
    app_id INTEGER NOT NULL,
    head_branch TEXT,
    head_sha TEXT NOT NULL,
    status TEXT NOT NULL,
    conclusion TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS check_suites_repository_id_head_sha ON check_suites (repository_id, head_sha);

CREATE TABLE IF NOT EXISTS check_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL,
    suite_id INTEGER NOT NULL,
    app_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    head_sha TEXT NOT NULL,
    status TEXT NOT NULL,
    conclusion TEXT,
    external_id TEXT NOT NULL,
    details_url TEXT,
    output TEXT NOT NULL,
    annotations TEXT NOT NULL,
    actions TEXT NOT NULL,
    started_at TEXT NOT NULL,
    completed_at TEXT
);
CREATE INDEX IF NOT EXISTS check_runs_repository_id_head_sha ON check_runs (repository_id, head_sha);
CREATE INDEX IF NOT EXISTS check_runs_suite_id ON check_runs (suite_id);

CREATE TABLE IF NOT EXISTS statuses (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL,
    sha TEXT NOT NULL,
    state TEXT NOT NULL,
    context TEXT NOT NULL,
    description TEXT,
    target_url TEXT,
    creator_id INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS statuses_repository_id_sha ON statuses (repository_id, sha);

CREATE TABLE IF NOT EXISTS workflows (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL,
    path TEXT NOT NULL,
    name TEXT NOT NULL,
    state TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (repository_id, path)
);

CREATE TABLE IF NOT EXISTS workflow_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL,
    workflow_id INTEGER NOT NULL,
    suite_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    display_title TEXT NOT NULL,
    number INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    event TEXT NOT NULL,
    head_branch TEXT,
    head_sha TEXT NOT NULL,
    status TEXT NOT NULL,
    conclusion TEXT,
    actor_id INTEGER NOT NULL,
    pull_numbers TEXT NOT NULL,
    payload TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    started_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS workflow_runs_repository_id_head_sha ON workflow_runs (repository_id, head_sha);

CREATE TABLE IF NOT EXISTS workflow_jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL,
    run_id INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    conclusion TEXT,
    steps TEXT NOT NULL,
    labels TEXT NOT NULL,
    created_at TEXT NOT NULL,
    started_at TEXT NOT NULL,
    completed_at TEXT
);
CREATE INDEX IF NOT EXISTS workflow_jobs_run_id ON workflow_jobs (run_id);

CREATE TABLE IF NOT EXISTS artifacts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL,
    run_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    digest TEXT NOT NULL,
    expired INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS artifacts_run_id ON artifacts (run_id);

CREATE TABLE IF NOT EXISTS environments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL,
    name TEXT NOT NULL COLLATE NOCASE,
    wait_timer INTEGER NOT NULL,
    prevent_self_review INTEGER NOT NULL,
    reviewers TEXT NOT NULL,
    branch_policy TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (repository_id, name)
);

CREATE TABLE IF NOT EXISTS branch_policies (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    environment_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    UNIQUE (environment_id, kind, name)
);

CREATE TABLE IF NOT EXISTS secrets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL,
    environment_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    sealed TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (repository_id, environment_id, name)
);

CREATE TABLE IF NOT EXISTS variables (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER NOT NULL,
    environment_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    UNIQUE (repository_id, environment_id, name)
);

CREATE TABLE IF NOT EXISTS hooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    repository_id INTEGER,
    app_id INTEGER,
    url TEXT NOT NULL,
    secret TEXT,
    content_type TEXT NOT NULL,
    insecure_ssl TEXT NOT NULL,
    events TEXT NOT NULL,
    active INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL
);

CREATE TABLE IF NOT EXISTS deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    hook_id INTEGER NOT NULL,
    guid TEXT NOT NULL,
    event TEXT NOT NULL,
    action TEXT,
    repository_id INTEGER,
    installation_id INTEGER,
    redelivery INTEGER NOT NULL,
    request_headers TEXT NOT NULL,
    payload TEXT NOT NULL,
    status TEXT NOT NULL,
    status_code INTEGER NOT NULL,
    response_headers TEXT NOT NULL,
    response_body TEXT NOT NULL,
    duration REAL NOT NULL,
    delivered_at TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS deliveries_hook_id ON deliveries (hook_id);

CREATE TABLE IF NOT EXISTS registrations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    app_id INTEGER NOT NULL,
    digest TEXT NOT NULL,
    private_key TEXT NOT NULL,
    webhook_secret TEXT NOT NULL,
    setup_url TEXT NOT NULL,
    homepage TEXT NOT NULL,
    description TEXT NOT NULL,
    expires_at TEXT NOT NULL
);
