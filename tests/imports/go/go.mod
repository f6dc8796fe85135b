module example.org/mail

go 1.22

require (
	example.org/mime v1.0.0
	github.com/lib/pq v1.10.0
)

replace example.org/mime => ./third/mime // ours
