package list
